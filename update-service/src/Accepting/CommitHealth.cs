namespace Optiks.UpdateService.Accepting;

/// <summary>CommitHealth remembers whether commits succeed, for the health check. Any thread.</summary>
internal sealed class CommitHealth
{
    // A host that is not ready gets no updates to prove that the database takes them again: the failure counts for this long.
    private static readonly TimeSpan s_memory = TimeSpan.FromSeconds(10);

    private readonly TimeProvider _time;
    private readonly Lock _lock = new();
    private long? _failure;

    public CommitHealth(TimeProvider time)
    {
        _time = time;
    }

    /// <summary>HasFailed says whether the last commit failed, and not long ago.</summary>
    public bool HasFailed
    {
        get
        {
            lock (_lock)
            {
                return _failure is { } at && _time.GetElapsedTime(at) < s_memory;
            }
        }
    }

    /// <summary>Committed takes note of a commit's end.</summary>
    public void Committed(CommitState state)
    {
        lock (_lock)
        {
            _failure = state is CommitState.Unavailable or CommitState.Failed ? _time.GetTimestamp() : null;
        }
    }
}
