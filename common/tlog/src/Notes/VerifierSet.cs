namespace Optiks.Tlog;

/// <summary>Holds the keys with which a reader verifies notes. Immutable, so that any thread may use it.</summary>
public sealed class VerifierSet
{
    private readonly IEd25519Verifier _ed25519;
    private readonly VerifierKey[] _keys;

    /// <summary>
    /// Creates a set of known keys. Throws <see cref="ArgumentException"/> if two keys have the same name and key ID, or the same public
    /// key. Otherwise one signer with two names would count as two signers.
    /// </summary>
    public VerifierSet(IEd25519Verifier ed25519, IEnumerable<VerifierKey> keys)
    {
        ArgumentNullException.ThrowIfNull(ed25519);
        _ed25519 = ed25519;
        _keys = [.. keys];
        for (int i = 0; i < _keys.Length; i++)
        {
            for (int j = 0; j < i; j++)
            {
                (VerifierKey a, VerifierKey b) = (_keys[j], _keys[i]);
                bool sameId = a.KeyId == b.KeyId && string.Equals(a.Name, b.Name, StringComparison.Ordinal);
                if (sameId || a.PublicKey.SequenceEqual(b.PublicKey))
                {
                    throw new ArgumentException($"The keys {a} and {b} belong to one signer, or share a name and key ID.", nameof(keys));
                }
            }
        }
    }

    /// <summary>The known keys, in the order in which they were given.</summary>
    public IReadOnlyList<VerifierKey> Keys => _keys;

    /// <summary>
    /// Verifies every signature in a note that has the name and key ID of a known key, and ignores other signatures. Refuses the note if
    /// one of the verified signatures is invalid, even if the same key also has a valid signature. Also refuses the note if a key of type
    /// 0x01 has two signature lines, or if no known key has signed it.
    /// </summary>
    /// <param name="note">The note.</param>
    /// <param name="verified">One element for each key that signed the note. If a key made several cosignatures, the element is the latest
    /// of them.</param>
    public TlogError Verify(SignedNote note, out IReadOnlyList<VerifiedSignature> verified)
    {
        ArgumentNullException.ThrowIfNull(note);
        verified = [];
        var byKey = new Dictionary<VerifierKey, VerifiedSignature>();
        foreach (NoteSignature signature in note.Signatures)
        {
            VerifierKey? key = Array.Find(_keys, signature.IsBy);
            if (key is null)
            {
                continue;
            }
            TlogError error = VerifyOne(key, note.Text.Span, signature, out ulong? timestamp);
            if (error != TlogError.None)
            {
                return error;
            }
            // The log must have exactly one signature line (docs/spec/board.md section 2). All other verifiers require this too.
            if (key.Type == SignatureType.Ed25519 && byKey.ContainsKey(key))
            {
                return TlogError.RepeatedSignature;
            }
            if (!byKey.TryGetValue(key, out VerifiedSignature? earlier) || earlier.Timestamp < timestamp)
            {
                byKey[key] = new VerifiedSignature(key, signature, timestamp);
            }
        }
        verified = [.. byKey.Values];
        return verified.Count > 0 ? TlogError.None : TlogError.NoKnownSignature;
    }

    private TlogError VerifyOne(VerifierKey key, ReadOnlySpan<byte> text, NoteSignature signature, out ulong? timestamp)
    {
        timestamp = null;
        if (key.Type == SignatureType.CosignatureV1)
        {
            TlogError error = Cosignature.Verify(_ed25519, key, text, signature, out ulong time);
            timestamp = error == TlogError.None ? time : null;
            return error;
        }
        ReadOnlySpan<byte> bytes = signature.Signature.Span;
        bool good = bytes.Length == Cosignature.Ed25519Length && _ed25519.Verify(key.PublicKey, text, bytes);
        return good ? TlogError.None : TlogError.BadSignature;
    }
}
