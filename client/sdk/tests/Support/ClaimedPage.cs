using System.Buffers.Binary;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>
/// Turns an honest answer about one key into the page of a lying server. The page claims that more versions exist than there are, and opens
/// no commitment.
/// </summary>
internal static class ClaimedPage
{
    public static byte[] Of(byte[] honest, ulong version)
    {
        Versions versions = VersionsAnswer.Decode(honest).Versions.Single();
        byte[] members = [.. versions.Members.SelectMany(Committed)];
        byte[] item = [.. Integer(version, 8), .. Integer(versions.From, 8), .. Integer((ulong)members.Length, 4), .. members,
            .. Integer(0, 3)];
        return [.. honest[..HeadLength(honest)], .. Integer((ulong)item.Length, 4), .. item];
    }

    private static byte[] Committed(Member member)
    {
        byte[] commitment = NativeHash.Compute(HashTags.Commitment, [.. member.CommitmentOrOpening.Span, .. member.Value.Span]);
        return
        [
            .. member.VrfProof.Span, .. Integer(member.Epoch, 8), (byte)MemberKind.Committed, .. commitment, .. member.Path.Mask.Span,
            .. Integer((ulong)member.Path.Siblings.Length, 2), .. member.Path.Siblings.Span,
        ];
    }

    // The head consists of the record and three vectors: the inclusion proof, the consistency proof and the checkpoint.
    private static int HeadLength(byte[] answer)
    {
        int length = EpochRecord.Length;
        for (int vector = 0; vector < 3; vector++)
        {
            length += 2 + BinaryPrimitives.ReadUInt16BigEndian(answer.AsSpan(length));
        }
        return length;
    }

    private static byte[] Integer(ulong value, int octets)
    {
        byte[] all = new byte[8];
        BinaryPrimitives.WriteUInt64BigEndian(all, value);
        return all[^octets..];
    }
}
