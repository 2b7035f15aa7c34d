namespace Optiks.Protocol;

/// <summary>NonMember is a non-membership proof (docs/spec/proofs.md section 1): the node that disagrees with the label, opened.</summary>
/// <param name="VrfProof">As it was sent.</param>
/// <param name="Node">The opened node; null: the tree is empty.</param>
public sealed record NonMember(ReadOnlyMemory<byte> VrfProof, OpenedNode? Node)
{
    internal static NonMember Decode(ref TlsReader reader) => new(reader.Take(Lengths.VrfProof, "non_member.vrf_proof"), OpenedNode.Decode(ref reader));
}
