using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.ServiceDefaults;

/// <summary>Holds a checkpoint of the board with a verified signature by the log. The cosigners' signatures are not verified.</summary>
/// <param name="Note">The signed note.</param>
/// <param name="Size">The number of entries of the checkpoint's tree, at least one.</param>
/// <param name="Root">The root of the checkpoint's tree.</param>
public sealed record BoardCheckpoint(ReadOnlyMemory<byte> Note, ulong Size, TreeHash Root)
{
    /// <summary>
    /// Verifies a checkpoint note. Services use only checkpoints that this method has accepted. If the log did not sign the note, returns
    /// null and sets the reason.
    /// </summary>
    public static BoardCheckpoint? Verify(TrustAnchor anchor, ReadOnlyMemory<byte> note, out Reason reason)
    {
        reason = LogVerifier.Checkpoint(anchor, note.Span, out ulong size, out byte[] root);
        return reason == Reason.Valid ? new BoardCheckpoint(note, size, TreeHash.FromBytes(root)) : null;
    }
}
