using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>SignedHead is a checkpoint whose log signature was verified.</summary>
/// <param name="Size">Size of the tree.</param>
/// <param name="Root">Root of the tree, 32 octets.</param>
/// <param name="Note">The signed note.</param>
internal sealed record SignedHead(ulong Size, byte[] Root, byte[] Note)
{
    /// <summary>Verify checks a note by itself (docs/spec/board.md section 2); the head is null unless it is valid.</summary>
    public static Reason Verify(TrustAnchor anchor, byte[] note, out SignedHead? head)
    {
        Reason reason = Verifier.Checkpoint(anchor, note, out ulong size, out byte[] root);
        head = reason == Reason.Valid ? new SignedHead(size, root, note) : null;
        return reason;
    }
}
