using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>VerifiedNote is a checkpoint whose log signature was verified. Immutable.</summary>
/// <param name="Size">Size of the tree.</param>
/// <param name="Root">Root of the tree, 32 octets.</param>
/// <param name="Octets">The signed note.</param>
public sealed record VerifiedNote(ulong Size, byte[] Root, byte[] Octets)
{
    /// <summary>Verify checks a note by itself (docs/spec/board.md section 2); <paramref name="note"/> is null unless it is valid.</summary>
    public static Reason Verify(TrustAnchor anchor, byte[] octets, out VerifiedNote? note)
    {
        Reason reason = Verifier.Checkpoint(anchor, octets, out ulong size, out byte[] root);
        note = reason == Reason.Valid ? new VerifiedNote(size, root, octets) : null;
        return reason;
    }
}
