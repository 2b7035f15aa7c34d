namespace Optiks.UpdateTask.Buckets;

/// <summary>Holds what this process knows about the bucket. Any thread may use it.</summary>
internal sealed class BucketState
{
    private long _size;
    private volatile string? _problem;

    /// <summary>The size of the bucket's checkpoint, as far as this process knows; 0 at the start.</summary>
    public ulong Size => (ulong)Interlocked.Read(ref _size);

    /// <summary>A sentence that describes why the bucket cannot be updated; null if there is no problem.</summary>
    public string? Problem => _problem;

    /// <summary>
    /// Records that a copy succeeded, with the size of the bucket's checkpoint. Returns true if the previous copy had failed.
    /// </summary>
    public bool Published(ulong size)
    {
        Interlocked.Exchange(ref _size, (long)size);
        bool hadFailed = _problem is not null;
        _problem = null;
        return hadFailed;
    }

    /// <summary>Records that a copy failed, and why. Returns true if the problem differs from the previously recorded problem.</summary>
    public bool Failed(string problem)
    {
        bool isNew = _problem != problem;
        _problem = problem;
        return isNew;
    }
}
