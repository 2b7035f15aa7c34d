namespace Optiks.UpdateTask.Hosting;

/// <summary>TaskStatus is what the rest of the process may know of the task. Immutable.</summary>
/// <param name="Role">What it is doing.</param>
/// <param name="PublishedEpoch">Last epoch that it published or found published.</param>
/// <param name="ProgressAt">Timestamp of the last time that everything due was done.</param>
/// <param name="Problem">Why epochs are held up, fit for anyone's eyes; null when they are not.</param>
internal sealed record TaskStatus(TaskRole Role, ulong? PublishedEpoch, long ProgressAt, string? Problem)
{
    /// <summary>Newest record; null while this task does not lead, or does not know it yet.</summary>
    public NewestRecord? Newest { get; init; }

    /// <summary>Period that is current, as far as it is known.</summary>
    public ulong Period { get; init; }

    /// <summary>Copies that are staged of the next period; null: none is made.</summary>
    public int? Copies { get; init; }

    /// <summary>Earliest time of the next period; null while no switch is planned.</summary>
    public DateTimeOffset? NextPeriodAt { get; init; }
}
