namespace Optiks.UpdateTask.Hosting;

/// <summary>TaskState holds the task's status: one writer, any number of readers.</summary>
internal sealed class TaskState
{
    private readonly TimeProvider _time;
    private volatile TaskStatus _current;

    public TaskState(TimeProvider time)
    {
        _time = time;
        _current = new TaskStatus(TaskRole.Starting, null, time.GetTimestamp(), null);
    }

    public TaskStatus Current => _current;

    public TimeSpan SinceProgress => _time.GetElapsedTime(_current.ProgressAt);

    public void Enter(TaskRole role) => _current = new TaskStatus(role, _current.PublishedEpoch, _time.GetTimestamp(), null);

    public void Progress(ulong publishedEpoch) =>
        _current = _current with { PublishedEpoch = publishedEpoch, ProgressAt = _time.GetTimestamp(), Problem = null };

    public void Period(ulong current, int? copies)
    {
        if (_current.Period != current || _current.Copies != copies)
        {
            _current = _current with { Period = current, Copies = copies };
        }
    }

    public void Hold(string problem) => _current = _current with { Problem = problem };
}
