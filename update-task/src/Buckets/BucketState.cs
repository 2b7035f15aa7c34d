namespace Optiks.UpdateTask.Buckets;

/// <summary>BucketState is what the process knows of its bucket. Any thread.</summary>
internal sealed class BucketState
{
    private long _size;
    private volatile string? _problem;

    /// <summary>Size of the checkpoint that the bucket has, as far as this process knows; 0 at the start.</summary>
    public ulong Size => (ulong)Interlocked.Read(ref _size);

    /// <summary>Problem that keeps the bucket from being brought on, in a sentence; null: there is none.</summary>
    public string? Problem => _problem;

    /// <summary>Published takes the size that the bucket has now. True: it had failed before.</summary>
    public bool Published(ulong size)
    {
        Interlocked.Exchange(ref _size, (long)size);
        bool hadFailed = _problem is not null;
        _problem = null;
        return hadFailed;
    }

    /// <summary>Failed takes a problem. True: it is another than before.</summary>
    public bool Failed(string problem)
    {
        bool isNew = _problem != problem;
        _problem = problem;
        return isNew;
    }
}
