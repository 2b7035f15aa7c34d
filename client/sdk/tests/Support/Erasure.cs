using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>
/// Changes a history or monitor answer for one key as if the server had erased the values of some versions. Each of these versions then has
/// the commitment in place of opening and value.
/// </summary>
internal static class Erasure
{
    private const int KindOffset = Lengths.VrfProof + 8;

    public static byte[] Of(byte[] answer, Func<ulong, bool> which)
    {
        Versions versions = Assert.Single(VersionsAnswer.Decode(answer).Versions);
        if (versions.Members.Count == 0)
        {
            return answer;
        }
        // The answer has these parts: the head, the length of the list (4 octets), the latest version (8 octets), the first version (8
        // octets), the length of the members (4 octets), the members, and the proof of absence.
        int members = Start(versions.Members[0].VrfProof);
        int end = members + (int)BinaryPrimitives.ReadUInt32BigEndian(answer.AsSpan(members - 4));
        var changed = new List<byte>();
        for (int i = 0; i < versions.Members.Count; i++)
        {
            Member member = versions.Members[i];
            int start = Start(member.VrfProof);
            int next = i + 1 < versions.Members.Count ? Start(versions.Members[i + 1].VrfProof) : end;
            ulong number = versions.From + (ulong)i;
            if (member.Kind != MemberKind.Opened || number == versions.Version || !which(number))
            {
                changed.AddRange(answer.AsSpan(start, next - start));
                continue;
            }
            byte[] commitment = NativeHash.Compute(HashTags.Commitment, (byte[])[.. member.CommitmentOrOpening.Span, .. member.Value.Span]);
            int path = start + KindOffset + 1 + member.CommitmentOrOpening.Length + 3 + member.Value.Length;
            changed.AddRange(
                [.. answer.AsSpan(start, KindOffset), (byte)MemberKind.Committed, .. commitment, .. answer.AsSpan(path, next - path)]);
        }
        byte[] erased = [.. answer.AsSpan(0, members), .. changed, .. answer.AsSpan(end)];
        BinaryPrimitives.WriteUInt32BigEndian(erased.AsSpan(members - 4), (uint)changed.Count);
        BinaryPrimitives.WriteUInt32BigEndian(erased.AsSpan(members - 24), (uint)(erased.Length - (members - 20)));
        return erased;
    }

    private static int Start(ReadOnlyMemory<byte> slice)
    {
        Assert.True(MemoryMarshal.TryGetArray(slice, out ArraySegment<byte> segment));
        return segment.Offset;
    }
}
