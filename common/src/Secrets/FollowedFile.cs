namespace Optiks.Secrets;

/// <summary>
/// FollowedFile gives what a file says about credentials, and follows its changes: within a second of each. A file that is refused leaves what was taken before as it was until the file is
/// mended, by whatever means. Any thread.
/// </summary>
/// <typeparam name="T">What the file says; immutable.</typeparam>
public sealed class FollowedFile<T>
    where T : class
{
    // Files of keys have some 200 octets a key. Reading takes as much memory as the file is long.
    private const int MaxLength = 4 << 20;

    private static readonly TimeSpan s_checkInterval = TimeSpan.FromSeconds(1);

    private readonly string _path;
    private readonly Func<ReadOnlyMemory<byte>, T> _parse;
    private readonly T? _whenMissing;
    private readonly TimeProvider _time;
    private readonly Action<SecretsException>? _onInvalid;
    private readonly Lock _reload = new();
    private volatile T? _current;
    private FileStatus? _taken;
    private volatile string? _problem;
    private long _lastCheck;

    /// <summary>FollowedFile reads the file. Throws <see cref="SecretsException"/> when it is invalid, too long or not a regular file, when others may write it, or when another user than this process's or root owns it.</summary>
    /// <param name="path">The file.</param>
    /// <param name="parse">Reads its octets, or throws <see cref="SecretsException"/>.</param>
    /// <param name="whenMissing">What holds when there is no file; null: a missing file is an invalid one.</param>
    /// <param name="time">Clock.</param>
    /// <param name="onInvalid">Is told when the file becomes invalid later, once for each reason.</param>
    public FollowedFile(string path, Func<ReadOnlyMemory<byte>, T> parse, T? whenMissing, TimeProvider time, Action<SecretsException>? onInvalid = null)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        ArgumentNullException.ThrowIfNull(parse);
        ArgumentNullException.ThrowIfNull(time);
        _path = path;
        _parse = parse;
        _whenMissing = whenMissing;
        _time = time;
        _onInvalid = onInvalid;
        _lastCheck = time.GetTimestamp();
        Reload();
    }

    /// <summary>IsInvalid says whether the file is refused as it is now, so that what was taken before holds.</summary>
    public bool IsInvalid => _problem is not null;

    /// <summary>Latest gives what holds now. Looks at the file once a second.</summary>
    public T Latest()
    {
        long last = Volatile.Read(ref _lastCheck);
        if (_time.GetElapsedTime(last) >= s_checkInterval && Interlocked.CompareExchange(ref _lastCheck, _time.GetTimestamp(), last) == last)
        {
            Refresh();
        }
        return _current!;
    }

    /// <summary>Refresh looks at the file now.</summary>
    public T Refresh()
    {
        lock (_reload)
        {
            try
            {
                Reload();
                _problem = null;
            }
            catch (SecretsException e) when (e.Message == _problem)
            {
                // Its owner knows.
            }
            catch (SecretsException e)
            {
                _problem = e.Message;
                _onInvalid?.Invoke(e);
            }
        }
        return _current!;
    }

    private void Reload()
    {
        try
        {
            if (FileStatus.TryRead(_path) is not { } found)
            {
                _current = _whenMissing ?? throw new SecretsException($"{_path} is missing: put the file back.");
                _taken = null;
            }
            else if (found != _taken)
            {
                Take(found);
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new SecretsException($"{_path}: {e.Message}", e);
        }
    }

    // Judges and reads one opened file, whatever its name leads to a moment later. Only what was taken is noted: what was refused is looked at again, as a changed mode mends it too.
    private void Take(in FileStatus found)
    {
        // Opening a named pipe waits for its writer, and all requests with it.
        RequireRegular(found);
        using var stream = new FileStream(_path, new FileStreamOptions { Share = FileShare.ReadWrite | FileShare.Delete, BufferSize = 0 });
        var status = FileStatus.Of(stream.SafeFileHandle);
        RequireRegular(status);
        if ((status.Mode & (UnixFileMode.GroupWrite | UnixFileMode.OtherWrite)) != 0)
        {
            throw new SecretsException($"{_path} may be written by others: run 'chmod go-w {_path}'.");
        }
        SecretFile.CheckOwner(_path, status.Owner);
        if (status.Length > MaxLength)
        {
            throw new SecretsException($"{_path} has {status.Length} octets: a file of keys has at most {MaxLength}.");
        }
        byte[] octets = new byte[status.Length];
        stream.ReadExactly(octets);
        try
        {
            _current = _parse(octets);
        }
        catch (SecretsException e)
        {
            throw new SecretsException($"{_path}: {e.Message}", e);
        }
        // A file that changed a moment ago is looked at again: the clock of its status has room for another change in the same tick.
        var age = TimeSpan.FromMilliseconds(_time.GetUtcNow().ToUnixTimeMilliseconds() - (status.Changed / 1_000_000));
        _taken = age > s_checkInterval ? status : null;
    }

    private void RequireRegular(in FileStatus status)
    {
        if (!status.IsRegular)
        {
            throw new SecretsException($"{_path} is not a regular file: put a file there, or a link to one.");
        }
    }
}
