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
    private static readonly TimeSpan s_checkInterval = TimeSpan.FromSeconds(1);

    private readonly string _path;
    private readonly TimeProvider _time;
    private readonly Action<SecretsException>? _onInvalid;
    private readonly Lock _reload = new();
    private volatile IReadOnlyList<ApiKeyEntry> _entries = [];
    private FileStatus? _taken;
    private string? _reported;
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
                _reported = null;
            }
            catch (SecretsException e) when (e.Message == _reported)
            {
                // Its owner knows.
            }
            catch (SecretsException e)
            {
                _reported = e.Message;
                _onInvalid?.Invoke(e);
            }
        }
    }

    private void Reload()
    {
        try
        {
            if (FileStatus.TryRead(_path) is not { } found)
            {
                _entries = [];
                _taken = null;
            }
            else if (found != _taken)
            {
                Take();
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new SecretsException($"{_path}: {e.Message}", e);
        }
    }

    // Judges and reads one opened file, whatever its name leads to a moment later. Only what was taken is noted: what was refused is looked at again, as a changed mode mends it too.
    private void Take()
    {
        using var stream = new FileStream(_path, new FileStreamOptions { Share = FileShare.ReadWrite | FileShare.Delete, BufferSize = 0 });
        var status = FileStatus.Of(stream.SafeFileHandle);
        if ((status.Mode & (UnixFileMode.GroupWrite | UnixFileMode.OtherWrite)) != 0)
        {
            throw new SecretsException($"{_path} may be written by others: run 'chmod go-w {_path}'.");
        }
        byte[] octets = new byte[stream.Length];
        stream.ReadExactly(octets);
        try
        {
            _entries = ApiKeyFile.Parse(octets);
        }
        catch (SecretsException e)
        {
            throw new SecretsException($"{_path}: {e.Message}", e);
        }
        // A file that changed a moment ago is looked at again: the clock of its status has room for another change in the same tick.
        var age = TimeSpan.FromMilliseconds(_time.GetUtcNow().ToUnixTimeMilliseconds() - (status.Changed / 1_000_000));
        _taken = age > s_checkInterval ? status : null;
    }
}
