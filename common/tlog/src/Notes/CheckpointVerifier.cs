using System.Diagnostics.CodeAnalysis;

namespace Optiks.Tlog;

/// <summary>
/// Parses and verifies the checkpoints of one log (docs/spec/board.md section 2). A checkpoint must have exactly one signature by the log,
/// and every signature by a known key must be valid. The origin must be the log key's name, and the tree must not be empty. The caller
/// decides how many cosignatures are enough. Immutable, so that any thread may use it.
/// </summary>
public sealed class CheckpointVerifier
{
    private readonly VerifierKey _logKey;
    private readonly VerifierSet _known;
    private readonly bool _acceptExtensionLines;

    /// <summary>Creates a verifier with the keys of a log and of known cosigners.</summary>
    /// <param name="logKey">The log's key, of type 0x01.</param>
    /// <param name="cosigners">The keys of the witnesses and auditors, of type 0x04. No cosigner may have the log's public key.</param>
    /// <param name="ed25519">The implementation of Ed25519 to use.</param>
    /// <param name="acceptExtensionLines">Whether checkpoints may have extension lines. The default is false, because an Optiks log writes
    /// no extension lines, and a cosignature may not cover them.</param>
    public CheckpointVerifier(
        VerifierKey logKey, IReadOnlyCollection<VerifierKey> cosigners, IEd25519Verifier ed25519, bool acceptExtensionLines = false)
    {
        ArgumentNullException.ThrowIfNull(logKey);
        ArgumentNullException.ThrowIfNull(cosigners);
        if (logKey.Type != SignatureType.Ed25519)
        {
            throw new ArgumentException("A log's key must have type 0x01.", nameof(logKey));
        }
        if (cosigners.Any(key => key.Type != SignatureType.CosignatureV1))
        {
            throw new ArgumentException("A cosigner's key must have type 0x04.", nameof(cosigners));
        }
        _logKey = logKey;
        _known = new VerifierSet(ed25519, [logKey, .. cosigners]);
        _acceptExtensionLines = acceptExtensionLines;
    }

    /// <summary>The log's key, of type 0x01.</summary>
    public VerifierKey LogKey => _logKey;

    /// <summary>Parses and verifies a checkpoint note.</summary>
    public bool TryOpen(ReadOnlySpan<byte> bytes, [NotNullWhen(true)] out SignedCheckpoint? opened, out TlogError error)
    {
        opened = null;
        return SignedNote.TryParse(bytes, out SignedNote? note, out error) && TryOpen(note, out opened, out error);
    }

    /// <summary>Verifies a parsed note.</summary>
    public bool TryOpen(SignedNote note, [NotNullWhen(true)] out SignedCheckpoint? opened, out TlogError error)
    {
        ArgumentNullException.ThrowIfNull(note);
        opened = null;
        error = _known.Verify(note, out IReadOnlyList<VerifiedSignature> verified);
        if (error != TlogError.None)
        {
            return false;
        }
        if (!verified.Any(signature => signature.Key.Equals(_logKey)))
        {
            error = TlogError.NoLogSignature;
            return false;
        }
        if (!Checkpoint.TryParse(note.Text.Span, out Checkpoint? checkpoint, out error))
        {
            return false;
        }
        if (!string.Equals(checkpoint.Origin, _logKey.Name, StringComparison.Ordinal))
        {
            error = TlogError.OriginMismatch;
            return false;
        }
        if (checkpoint.ExtensionLines.Count > 0 && !_acceptExtensionLines)
        {
            error = TlogError.ExtensionLineRefused;
            return false;
        }
        if (checkpoint.Size == 0)
        {
            error = TlogError.EmptyTree;
            return false;
        }
        opened = new SignedCheckpoint(note, checkpoint, [.. verified.Where(signature => !signature.Key.Equals(_logKey))]);
        return true;
    }
}
