using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using Optiks.Secrets;

namespace Optiks.ApiKeys;

/// <summary>
/// Holds the API keys of a file and follows the file's changes. An added key works at once; a removed key stops working within a second.
/// While the file is invalid, the keys of its last valid contents stay in force. Any thread may use a store.
/// </summary>
public sealed class ApiKeyStore
{
    private readonly FollowedFile<IReadOnlyList<ApiKeyEntry>> _file;

    /// <summary>
    /// Reads the file. If the file does not exist yet, the store accepts no key. Throws <see cref="SecretsException"/> if the file is
    /// invalid or other users may write it. If the file becomes invalid or writable by others later, the store calls
    /// <paramref name="onInvalid"/> instead.
    /// </summary>
    public ApiKeyStore(string path, TimeProvider time, Action<SecretsException>? onInvalid = null)
    {
        _file = new FollowedFile<IReadOnlyList<ApiKeyEntry>>(path, ApiKeyFile.Parse, [], time, onInvalid);
    }

    /// <summary>
    /// Checks the file at most once a second. Returns whether the current file is invalid, so that older keys stay in force.
    /// </summary>
    public bool IsStale()
    {
        _ = _file.Latest();
        return _file.IsInvalid;
    }

    /// <summary>Looks up the API key that a caller presented. Compares its hash with the hash of every entry, in constant time.</summary>
    public bool TryFind(string key, [NotNullWhen(true)] out ApiKeyEntry? entry)
    {
        ArgumentNullException.ThrowIfNull(key);
        entry = null;
        if (!ApiKey.IsWellFormed(key))
        {
            return false;
        }
        byte[] hash = ApiKey.Hash(key);
        // The second search reads the file again and also finds a key that was added since the last check. For example, the key that a new
        // log's first start makes works at once.
        entry = Find(_file.Latest(), hash) ?? Find(_file.Refresh(), hash);
        return entry is not null;
    }

    private static ApiKeyEntry? Find(IReadOnlyList<ApiKeyEntry> entries, byte[] hash)
    {
        ApiKeyEntry? entry = null;
        foreach (ApiKeyEntry candidate in entries)
        {
            if (CryptographicOperations.FixedTimeEquals(hash, candidate.Hash.Span))
            {
                entry = candidate;
            }
        }
        return entry;
    }
}
