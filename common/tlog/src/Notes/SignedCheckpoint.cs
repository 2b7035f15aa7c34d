namespace Optiks.Tlog;

/// <summary>Holds a checkpoint whose signatures were verified.</summary>
/// <param name="Note">The note that contains the checkpoint.</param>
/// <param name="Checkpoint">The parsed checkpoint: origin, size and root.</param>
/// <param name="Cosignatures">The verified cosignatures, one for each known cosigner, without the log's own signature.</param>
public sealed record SignedCheckpoint(SignedNote Note, Checkpoint Checkpoint, IReadOnlyList<VerifiedSignature> Cosignatures)
{
    /// <summary>
    /// Returns the note with only two signature lines, the log's line and the line of the given cosignature. Programs keep and serve this
    /// note, because all of its signature lines are verified.
    /// </summary>
    /// <param name="logKey">The log's key.</param>
    /// <param name="cosignature">One of <see cref="Cosignatures"/>.</param>
    public SignedNote NoteWith(VerifierKey logKey, VerifiedSignature cosignature)
    {
        ArgumentNullException.ThrowIfNull(cosignature);
        return SignedNote.Create(Note.Text.Span, [Note.Signatures.Single(line => line.IsBy(logKey)), cosignature.Signature]);
    }
}
