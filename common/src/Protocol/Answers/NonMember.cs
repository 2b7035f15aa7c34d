namespace Optiks.Protocol;

/// <summary>
/// Holds a non-membership proof (docs/spec/proofs.md section 1), with the opened node at which the label leaves the tree.
/// </summary>
/// <param name="VrfProof">The VRF proof of the absent label, in the encoded form in which it was sent.</param>
/// <param name="Node">The opened node; null if the tree is empty.</param>
public sealed record NonMember(ReadOnlyMemory<byte> VrfProof, OpenedNode? Node)
{
    internal static NonMember Decode(ref TlsReader reader) =>
        new(reader.Take(Lengths.VrfProof, "non_member.vrf_proof"), OpenedNode.Decode(ref reader));
}
