using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using Optiks.Secrets;

namespace Optiks.ApiKeys;

/// <summary>
/// Holds the API keys of a file and follows its changes. An added key works at once; a removed key stops working within a second. While the
/// file is refused, the earlier keys stay in force until the file is valid again. Any thread.
/// </summary>
public sealed class ApiKeyStore
{
    private readonly FollowedFile<IReadOnlyList<ApiKeyEntry>> _file;

    /// <summary>
    /// Reads the file. If it does not exist yet, no key is accepted. Throws <see cref="SecretsException"/> if the file is invalid or others
    /// may write it. Calls <paramref name="onInvalid"/> if the file becomes invalid or writable by others later.
    /// </summary>
    public ApiKeyStore(string path, TimeProvider time, Action<SecretsException>? onInvalid = null)
    {
        _file = new FollowedFile<IReadOnlyList<ApiKeyEntry>>(path, ApiKeyFile.Parse, [], time, onInvalid);
    }

    /// <summary>
    /// Checks the file at most once a second. Returns whether the current file is refused, so that older keys stay in force.
    /// </summary>
    public bool IsStale()
    {
        _ = _file.Latest();
        return _file.IsInvalid;
    }

    /// <summary>Looks up a presented key. Compares hashes in constant time, with every entry.</summary>
    public bool TryFind(string key, [NotNullWhen(true)] out ApiKeyEntry? entry)
    {
        ArgumentNullException.ThrowIfNull(key);
        entry = null;
        if (!ApiKey.IsWellFormed(key))
        {
            return false;
        }
        byte[] hash = ApiKey.Hash(key);
        // The second search reads the file again. It finds a key that was added since the last check, as on a new log's first start, so the
        // key works at once.
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
