using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using Optiks.Secrets;

namespace Optiks.ApiKeys;

/// <summary>
/// ApiKeyStore knows the API keys of a file and follows its changes: a key that was added works at once, and one that was taken out
/// stops working within a second. A file that is refused leaves the keys as they were until it is mended, by whatever means. Any thread.
/// </summary>
public sealed class ApiKeyStore
{
    private readonly FollowedFile<IReadOnlyList<ApiKeyEntry>> _file;

    /// <summary>
    /// ApiKeyStore reads the file, which may be missing yet: then no key is accepted. Throws <see cref="SecretsException"/> when it is invalid
    /// or others may write it. <paramref name="onInvalid"/> is told when it becomes so later.
    /// </summary>
    public ApiKeyStore(string path, TimeProvider time, Action<SecretsException>? onInvalid = null)
    {
        _file = new FollowedFile<IReadOnlyList<ApiKeyEntry>>(path, ApiKeyFile.Parse, [], time, onInvalid);
    }

    /// <summary>IsStale looks at the file, once a second, and says whether it is refused as it is now, so that older keys hold.</summary>
    public bool IsStale()
    {
        _ = _file.Latest();
        return _file.IsInvalid;
    }

    /// <summary>TryFind looks a presented key up. Compares hashes in constant time, with every entry.</summary>
    public bool TryFind(string key, [NotNullWhen(true)] out ApiKeyEntry? entry)
    {
        ArgumentNullException.ThrowIfNull(key);
        entry = null;
        if (!ApiKey.IsWellFormed(key))
        {
            return false;
        }
        byte[] hash = ApiKey.Hash(key);
        // Again, for a key that was made a moment ago, as on a new log's first start: its owner need not wait.
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
