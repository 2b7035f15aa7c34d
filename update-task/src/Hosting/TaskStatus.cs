namespace Optiks.UpdateTask.Hosting;

/// <summary>Describes the state of the task to the other parts of the process. Immutable.</summary>
/// <param name="Role">The task's current role.</param>
/// <param name="PublishedEpoch">The last epoch that the task published, or that was already published when the task began to lead; null if
/// no such epoch is known.</param>
/// <param name="ProgressAt">The timestamp of the last moment at which the task had done all work that was due.</param>
/// <param name="Problem">A text that says why epochs are delayed, without any secrets; null if epochs are not delayed.</param>
internal sealed record TaskStatus(TaskRole Role, ulong? PublishedEpoch, long ProgressAt, string? Problem)
{
    /// <summary>The log's newest record; null while this task does not lead, or does not know the record yet.</summary>
    public NewestRecord? Newest { get; init; }

    /// <summary>The number of the current period; 0 while the task does not know it.</summary>
    public ulong Period { get; init; }

    /// <summary>The number of staged copies of the next period; null if no period is being prepared.</summary>
    public int? Copies { get; init; }

    /// <summary>The earliest time at which the next period may begin; null while no switch to it is planned.</summary>
    public DateTimeOffset? NextPeriodAt { get; init; }
}
