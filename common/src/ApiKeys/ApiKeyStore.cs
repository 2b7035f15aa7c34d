using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using Optiks.Secrets;

namespace Optiks.ApiKeys;

/// <summary>
/// ApiKeyStore knows the API keys of a file and follows its changes: a key that was added works at once, and one that was taken out
/// stops working within a second. A file that becomes unreadable leaves the keys as they were. Any thread.
/// </summary>
public sealed class ApiKeyStore
{
    private static readonly TimeSpan s_checkInterval = TimeSpan.FromSeconds(1);

    private readonly string _path;
    private readonly TimeProvider _time;
    private readonly Action<SecretsException>? _onInvalid;
    private readonly Lock _reload = new();
    private volatile IReadOnlyList<ApiKeyEntry> _entries = [];
    private (DateTime Written, long Length) _version;
    private long _lastCheck;

    /// <summary>
    /// ApiKeyStore reads the file, which may be missing yet: then no key is accepted. Throws <see cref="SecretsException"/> when it is invalid
    /// or others may write it. <paramref name="onInvalid"/> is told when it becomes so later.
    /// </summary>
    public ApiKeyStore(string path, TimeProvider time, Action<SecretsException>? onInvalid = null)
    {
        ArgumentNullException.ThrowIfNull(time);
        _path = path;
        _time = time;
        _onInvalid = onInvalid;
        _lastCheck = time.GetTimestamp();
        Reload();
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
        RefreshIfDue();
        entry = Find(hash);
        if (entry is null)
        {
            // A key that was made a moment ago, as on a new log's first start: its owner need not wait.
            Refresh();
            entry = Find(hash);
        }
        return entry is not null;
    }

    private ApiKeyEntry? Find(byte[] hash)
    {
        ApiKeyEntry? entry = null;
        foreach (ApiKeyEntry candidate in _entries)
        {
            if (CryptographicOperations.FixedTimeEquals(hash, candidate.Hash.Span))
            {
                entry = candidate;
            }
        }
        return entry;
    }

    private void RefreshIfDue()
    {
        long last = Volatile.Read(ref _lastCheck);
        if (_time.GetElapsedTime(last) < s_checkInterval || Interlocked.CompareExchange(ref _lastCheck, _time.GetTimestamp(), last) != last)
        {
            return;
        }
        Refresh();
    }

    private void Refresh()
    {
        lock (_reload)
        {
            try
            {
                Reload();
            }
            catch (SecretsException e)
            {
                _onInvalid?.Invoke(e);
            }
        }
    }

    private void Reload()
    {
        var file = new FileInfo(_path);
        if (!file.Exists)
        {
            _entries = [];
            _version = default;
            return;
        }
        (DateTime, long) version = (file.LastWriteTimeUtc, file.Length);
        if (version == _version)
        {
            return;
        }
        // Remembered even when it turns out invalid: one report a change.
        _version = version;
        if ((file.UnixFileMode & (UnixFileMode.GroupWrite | UnixFileMode.OtherWrite)) != 0)
        {
            throw new SecretsException($"{_path} may be written by others: run 'chmod go-w {_path}'.");
        }
        try
        {
            _entries = ApiKeyFile.Parse(File.ReadAllBytes(_path));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or SecretsException)
        {
            throw new SecretsException($"{_path}: {e.Message}", e);
        }
    }
}
