namespace Optiks.UpdateTask.Buckets;

/// <summary>Holds the process's knowledge of its bucket. Any thread.</summary>
internal sealed class BucketState
{
    private long _size;
    private volatile string? _problem;

    /// <summary>The size of the bucket's checkpoint, as far as this process knows; 0 at the start.</summary>
    public ulong Size => (ulong)Interlocked.Read(ref _size);

    /// <summary>The problem that keeps the bucket from being updated, in a sentence; null if there is no problem.</summary>
    public string? Problem => _problem;

    /// <summary>Records the bucket's new size. Returns true if the copy before had failed.</summary>
    public bool Published(ulong size)
    {
        Interlocked.Exchange(ref _size, (long)size);
        bool hadFailed = _problem is not null;
        _problem = null;
        return hadFailed;
    }

    /// <summary>Records a problem. Returns true if it differs from the problem before.</summary>
    public bool Failed(string problem)
    {
        bool isNew = _problem != problem;
        _problem = problem;
        return isNew;
    }
}
