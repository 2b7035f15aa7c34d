namespace Optiks.Tlog;

/// <summary>Holds a checkpoint with verified signatures.</summary>
/// <param name="Note">The note that contains the checkpoint.</param>
/// <param name="Checkpoint">The parsed checkpoint: origin, size and root.</param>
/// <param name="Cosignatures">The verified cosignatures, one for each known cosigner, without the log's own signature.</param>
public sealed record SignedCheckpoint(SignedNote Note, Checkpoint Checkpoint, IReadOnlyList<VerifiedSignature> Cosignatures)
{
    /// <summary>
    /// Returns the note with only two signature lines, the log's and one cosigner's, so that readers keep and serve only verified lines.
    /// </summary>
    /// <param name="logKey">The log's key.</param>
    /// <param name="cosignature">One of <see cref="Cosignatures"/>.</param>
    public SignedNote NoteWith(VerifierKey logKey, VerifiedSignature cosignature)
    {
        ArgumentNullException.ThrowIfNull(cosignature);
        return SignedNote.Create(Note.Text.Span, [Note.Signatures.Single(line => line.IsBy(logKey)), cosignature.Signature]);
    }
}
