namespace Optiks.Secrets;

/// <summary>
/// Holds the keys that a <see cref="KeyRing"/> had when it was opened, in the ring's order. Only one thread at a time may use an instance.
/// Dispose overwrites the keys and closes the tokens.
/// </summary>
public sealed class OpenedRing : IDisposable
{
    private readonly IReadOnlyList<KeyEncryptionKey> _keys;
    private readonly string _source;

    internal OpenedRing(IReadOnlyList<KeyEncryptionKey> keys, string source)
    {
        _keys = keys;
        _source = source;
    }

    /// <summary>The keys in the order of the ring. The last key is the newest; a rotation wraps all secrets with this key.</summary>
    public IReadOnlyList<KeyEncryptionKey> Keys => _keys;

    /// <summary>
    /// Returns the key with this id, or the first key if the id is null. Throws <see cref="SecretsException"/> if the ring does not have
    /// the key.
    /// </summary>
    public KeyEncryptionKey Get(KeyId? id) =>
        id is null ? _keys[0] : _keys.FirstOrDefault(key => key.Id == id) ?? throw Missing($"The key-encryption key {id} is needed");

    /// <summary>
    /// Decrypts a wrapped secret with the key that had wrapped it, into pinned memory, which the caller overwrites after use. Throws
    /// <see cref="SecretsException"/> if the ring does not have that key, or if the log or purpose is wrong.
    /// </summary>
    public byte[] Unwrap(ReadOnlySpan<byte> wrapped, string purpose, ReadOnlySpan<byte> logId, out KeyId by)
    {
        // If the wrapped secret contains a key id, only the key with this id is tried. Older wrapped secrets contain no key id, so each key
        // is tried.
        bool names = KeyId.TryRead(wrapped, out KeyId id);
        if (names && !_keys.Any(key => key.Id == id))
        {
            throw Missing($"The stored {purpose} is wrapped by the key-encryption key {id}");
        }
        foreach (KeyEncryptionKey key in _keys.Where(key => !names || key.Id == id))
        {
            if (key.TryUnwrap(wrapped, purpose, logId) is { } secret)
            {
                by = key.Id;
                return secret;
            }
        }
        throw new SecretsException(names
            ? $"The key-encryption key {id} from {_source} does not open the stored {purpose}, which is damaged or belongs to another log: restore it from a backup. Nothing was changed."
            : $"The key-encryption key from {_source} does not open the stored {purpose} of this log: put the right key back. Nothing was changed.");
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (KeyEncryptionKey key in _keys)
        {
            key.Dispose();
        }
    }

    private SecretsException Missing(string what) =>
        new(
            $"{what}, which {_source} does not have (it has {string.Join(", ", _keys.Select(key => key.Id))}): put the right key back. Nothing was changed.");
}
