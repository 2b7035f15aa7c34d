namespace Optiks.UpdateTask.Hosting;

/// <summary>Holds the task's status. One thread may write it, and any number of threads may read it.</summary>
internal sealed class TaskState
{
    private readonly TimeProvider _time;
    private volatile TaskStatus _current;
    private TaskCompletionSource _changed = NewSource();

    public TaskState(TimeProvider time)
    {
        _time = time;
        _current = new TaskStatus(TaskRole.Starting, null, time.GetTimestamp(), null);
    }

    public TaskStatus Current => _current;

    public TimeSpan SinceProgress => _time.GetElapsedTime(_current.ProgressAt);

    /// <summary>The age of the log's newest record by this machine's clock; zero if the newest record is not known.</summary>
    public TimeSpan NewestAge => _current.Newest is { } newest ? _time.GetUtcNow() - newest.Time : TimeSpan.Zero;

    public void Enter(TaskRole role)
    {
        _current = new TaskStatus(role, _current.PublishedEpoch, _time.GetTimestamp(), null);
        Wake();
    }

    public void Progress(ulong publishedEpoch)
    {
        bool isNew = _current.PublishedEpoch != publishedEpoch;
        _current = _current with { PublishedEpoch = publishedEpoch, ProgressAt = _time.GetTimestamp(), Problem = null };
        if (isNew)
        {
            Wake();
        }
    }

    /// <summary>
    /// Waits until this task leads and its last published epoch differs from the epoch in the parameter <paramref name="known"/>. Returns
    /// the last published epoch.
    /// </summary>
    public async Task<ulong> NextPublishedAsync(ulong? known, CancellationToken cancellationToken)
    {
        while (true)
        {
            // The waiter takes this signal before it reads the status, so that a later change wakes it.
            Task changed = Volatile.Read(ref _changed).Task;
            if (_current is { Role: TaskRole.Leading, PublishedEpoch: { } published } && published != known)
            {
                return published;
            }
            await changed.WaitAsync(cancellationToken);
        }
    }

    /// <summary>Sets the log's newest record, while this task leads the log.</summary>
    public void Newest(NewestRecord newest)
    {
        if (_current.Newest != newest)
        {
            _current = _current with { Newest = newest };
        }
    }

    public void Period(ulong current, int? copies)
    {
        if (_current.Period != current || _current.Copies != copies)
        {
            _current = _current with { Period = current, Copies = copies };
        }
    }

    /// <summary>Sets the earliest time at which the next period begins; null while no switch is planned.</summary>
    public void NextPeriod(DateTimeOffset? at) => _current = _current with { NextPeriodAt = at };

    public void Hold(string problem) => _current = _current with { Problem = problem };

    private static TaskCompletionSource NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private void Wake() => Interlocked.Exchange(ref _changed, NewSource()).SetResult();
}
