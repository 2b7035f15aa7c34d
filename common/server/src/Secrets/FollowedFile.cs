namespace Optiks.Secrets;

/// <summary>
/// Holds the parsed contents of a file about credentials, and applies each change of the file within a second. While the file is invalid,
/// its last valid contents stay in force. Any thread may use an instance.
/// </summary>
/// <typeparam name="T">The parsed contents; immutable.</typeparam>
public sealed class FollowedFile<T>
    where T : class
{
    // The highest accepted length of a file in bytes. It bounds the memory that reading takes. A file of keys has about 200 bytes for each
    // key.
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

    /// <summary>
    /// Reads the file. Throws <see cref="SecretsException"/> if the file is invalid, too long or not a regular file, if other users may
    /// write it, or if its owner is neither root nor this process's user.
    /// </summary>
    /// <param name="path">The file's path.</param>
    /// <param name="parse">The function that parses the file's bytes, or throws <see cref="SecretsException"/>.</param>
    /// <param name="whenMissing">The contents to use if the file does not exist. If this is null, a missing file is invalid.</param>
    /// <param name="time">The clock.</param>
    /// <param name="onInvalid">The action to call if the file becomes invalid later. It is called once for each new reason.</param>
    public FollowedFile(string path, Func<ReadOnlyMemory<byte>, T> parse, T? whenMissing, TimeProvider time,
        Action<SecretsException>? onInvalid = null)
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

    /// <summary>Whether the current file is invalid, so that its earlier contents stay in force.</summary>
    public bool IsInvalid => _problem is not null;

    /// <summary>Returns the contents in force. Checks the file for changes, at most once a second.</summary>
    public T Latest()
    {
        long last = Volatile.Read(ref _lastCheck);
        if (_time.GetElapsedTime(last) >= s_checkInterval
            && Interlocked.CompareExchange(ref _lastCheck, _time.GetTimestamp(), last) == last)
        {
            Refresh();
        }
        return _current!;
    }

    /// <summary>Checks the file for changes now, and returns the contents in force.</summary>
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
                // This reason has already been reported, so it is not reported again.
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

    // Opens the file, then checks and reads the opened file, even if another file has got its name since it was opened. Stores the file's
    // status only if the file is accepted. A refused file is therefore read again at each check, because a change of its mode may make it
    // valid.
    private void Take(in FileStatus found)
    {
        // Opening a named pipe would wait until another process opens it for writing, and would block all requests meanwhile.
        RequireRegular(found);
        using var stream = new FileStream(_path, new FileStreamOptions { Share = FileShare.ReadWrite | FileShare.Delete, BufferSize = 0 });
        var status = FileStatus.Read(stream.SafeFileHandle);
        RequireRegular(status);
        if ((status.Mode & (UnixFileMode.GroupWrite | UnixFileMode.OtherWrite)) != 0)
        {
            throw new SecretsException($"{_path} can be written by other users: run 'chmod go-w {_path}'.");
        }
        SecretFile.CheckOwner(_path, status.Owner);
        if (status.Length > MaxLength)
        {
            throw new SecretsException($"{_path} has {status.Length} bytes: a file of keys may have at most {MaxLength}.");
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
        // A file that changed within the last second is read again at the next check: it may have changed twice within the same tick of its
        // timestamps.
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
