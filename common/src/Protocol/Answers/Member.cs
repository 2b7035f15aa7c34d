namespace Optiks.Protocol;

/// <summary>Holds a membership proof (docs/spec/proofs.md section 1).</summary>
/// <param name="VrfProof">The VRF proof of the label, in the encoded form in which it was sent.</param>
/// <param name="Epoch">The leaf's epoch.</param>
/// <param name="Kind">Whether the leaf is committed or opened.</param>
/// <param name="CommitmentOrOpening">The commitment if the leaf is committed; the opening of the commitment if the leaf is opened.</param>
/// <param name="Value">The value if the leaf is opened, otherwise empty.</param>
/// <param name="Path">The path from the leaf to the root.</param>
public sealed record Member(
    ReadOnlyMemory<byte> VrfProof, ulong Epoch, MemberKind Kind, ReadOnlyMemory<byte> CommitmentOrOpening, ReadOnlyMemory<byte> Value,
    TreePath Path)
{
    private const uint MaxValueLength = (1u << 24) - 1;

    internal static Member Decode(ref TlsReader reader)
    {
        ReadOnlyMemory<byte> proof = reader.Take(Lengths.VrfProof, "member.vrf_proof");
        ulong epoch = reader.UInt64("member.epoch");
        switch ((MemberKind)reader.UInt8("member.kind"))
        {
            case MemberKind.Committed:
                ReadOnlyMemory<byte> commitment = reader.Take(Lengths.Hash, "member.commitment");
                return new Member(proof, epoch, MemberKind.Committed, commitment, default, TreePath.Decode(ref reader));
            case MemberKind.Opened:
                ReadOnlyMemory<byte> opening = reader.Take(Lengths.Opening, "member.opening");
                ReadOnlyMemory<byte> value = reader.Vector(0, MaxValueLength, "member.value");
                return new Member(proof, epoch, MemberKind.Opened, opening, value, TreePath.Decode(ref reader));
            default:
                throw new EncodingException(Reason.MalformedEnum, "member.kind");
        }
    }
}
