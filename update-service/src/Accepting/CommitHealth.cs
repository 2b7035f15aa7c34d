namespace Optiks.UpdateService.Accepting;

/// <summary>Records whether commits succeed, for the health check. Thread-safe.</summary>
internal sealed class CommitHealth
{
    // The time for which a failure makes the service not ready. Without this limit, a host that is not ready would get no updates, and
    // would never notice that the database accepts updates again.
    private static readonly TimeSpan s_memory = TimeSpan.FromSeconds(10);

    private readonly TimeProvider _time;
    private readonly Lock _lock = new();
    private long? _failure;

    public CommitHealth(TimeProvider time)
    {
        _time = time;
    }

    /// <summary>Whether the last commit failed, and failed only recently.</summary>
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

    /// <summary>Records the result of a group commit.</summary>
    public void Committed(CommitState state)
    {
        lock (_lock)
        {
            _failure = state is CommitState.Unavailable or CommitState.Failed ? _time.GetTimestamp() : null;
        }
    }
}
