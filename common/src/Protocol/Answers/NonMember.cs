namespace Optiks.Protocol;

/// <summary>NonMember is a non-membership proof (docs/spec/proofs.md section 1): the node that disagrees with the label, opened.</summary>
/// <param name="VrfProof">79 octets.</param>
/// <param name="Node">The opened node; null: the tree is empty.</param>
public sealed record NonMember(ReadOnlyMemory<byte> VrfProof, OpenedNode? Node)
{
    internal static NonMember Decode(ref TlsReader reader) => new(reader.Take(Member.VrfProofLength, "non_member.vrf_proof"), OpenedNode.Decode(ref reader));
}
