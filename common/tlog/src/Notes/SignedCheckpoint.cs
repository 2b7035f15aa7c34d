namespace Optiks.Tlog;

/// <summary>SignedCheckpoint is a checkpoint whose signatures were verified.</summary>
/// <param name="Note">The note it came in.</param>
/// <param name="Checkpoint">Origin, size and root.</param>
/// <param name="Cosignatures">Verified cosignatures, one a known cosigner; the log's own signature is not among them.</param>
public sealed record SignedCheckpoint(SignedNote Note, Checkpoint Checkpoint, IReadOnlyList<VerifiedSignature> Cosignatures)
{
    /// <summary>
    /// NoteWith gives the note with two of its lines, the log's and one cosigner's: what a reader keeps or serves holds nothing that was not verified.
    /// </summary>
    /// <param name="logKey">The log's key.</param>
    /// <param name="cosignature">One of <see cref="Cosignatures"/>.</param>
    public SignedNote NoteWith(VerifierKey logKey, VerifiedSignature cosignature)
    {
        ArgumentNullException.ThrowIfNull(cosignature);
        return SignedNote.Create(Note.Text.Span, [Note.Signatures.Single(line => line.IsBy(logKey)), cosignature.Signature]);
    }
}
