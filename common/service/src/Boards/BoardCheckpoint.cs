using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.ServiceDefaults;

/// <summary>BoardCheckpoint is a checkpoint of the board whose signature by the log was verified. Those of cosigners were not.</summary>
/// <param name="Note">The signed note.</param>
/// <param name="Size">Entries of its tree, at least one.</param>
/// <param name="Root">Root of its tree.</param>
public sealed record BoardCheckpoint(ReadOnlyMemory<byte> Note, ulong Size, TreeHash Root)
{
    /// <summary>Verify opens a note: all checkpoints that a service goes by pass here. Null: it is not the log's, for this reason.</summary>
    public static BoardCheckpoint? Verify(TrustAnchor anchor, ReadOnlyMemory<byte> note, out Reason reason)
    {
        reason = Verifier.Checkpoint(anchor, note.Span, out ulong size, out byte[] root);
        return reason == Reason.Valid ? new BoardCheckpoint(note, size, TreeHash.FromBytes(root)) : null;
    }
}
