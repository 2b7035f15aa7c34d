using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>A checkpoint whose log signature was verified. Immutable.</summary>
/// <param name="Size">Size of the tree.</param>
/// <param name="Root">Root of the tree, 32 octets.</param>
/// <param name="Octets">The signed note.</param>
public sealed record VerifiedNote(ulong Size, byte[] Root, byte[] Octets)
{
    /// <summary>
    /// Checks one note, without comparing it with other notes (docs/spec/board.md section 2). The out parameter <paramref name="note"/> is
    /// null unless the octets are valid.
    /// </summary>
    public static Reason Verify(TrustAnchor anchor, byte[] octets, out VerifiedNote? note)
    {
        Reason reason = LogVerifier.Checkpoint(anchor, octets, out ulong size, out byte[] root);
        note = reason == Reason.Valid ? new VerifiedNote(size, root, octets) : null;
        return reason;
    }

    /// <summary>
    /// Returns a verified note with only the log's signature line, so that the state contains no unverified line (docs/spec/board.md
    /// section 2). Throws <see cref="InvalidOperationException"/> for a note that was not verified.
    /// </summary>
    public static byte[] Reduce(TrustAnchor anchor, byte[] octets)
    {
        ArgumentNullException.ThrowIfNull(anchor);
        return SignedNote.TryParse(octets, out SignedNote? note, out TlogError error)
            ? SignedNote.Create(note.Text.Span, [note.Signatures.Single(line => line.IsBy(anchor.LogKey))]).Encode()
            : throw new InvalidOperationException($"A verified note does not parse: {error}.");
    }
}
