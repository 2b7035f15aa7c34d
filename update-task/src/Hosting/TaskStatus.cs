namespace Optiks.UpdateTask.Hosting;

/// <summary>Holds the state of the task for the rest of the process. Immutable.</summary>
/// <param name="Role">The task's current role.</param>
/// <param name="PublishedEpoch">The last epoch that the task published or found published.</param>
/// <param name="ProgressAt">The timestamp of the last time at which the task had done everything that was due.</param>
/// <param name="Problem">Why epochs are delayed, in words that anyone may read; null if they are not delayed.</param>
internal sealed record TaskStatus(TaskRole Role, ulong? PublishedEpoch, long ProgressAt, string? Problem)
{
    /// <summary>The newest record; null while this task does not lead, or does not know the record yet.</summary>
    public NewestRecord? Newest { get; init; }

    /// <summary>The number of the current period; 0 while the task does not know it.</summary>
    public ulong Period { get; init; }

    /// <summary>The number of staged copies of the next period; null if no period is being prepared.</summary>
    public int? Copies { get; init; }

    /// <summary>The earliest time of the next period; null while no switch is planned.</summary>
    public DateTimeOffset? NextPeriodAt { get; init; }
}
