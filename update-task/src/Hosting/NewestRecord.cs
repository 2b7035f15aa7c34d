namespace Optiks.UpdateTask.Hosting;

/// <summary>Describes the log's newest record in the task's status.</summary>
/// <param name="Time">The time in the record.</param>
/// <param name="Heartbeat">The log's heartbeat, which is the greatest age that the newest record may reach.</param>
internal sealed record NewestRecord(DateTimeOffset Time, TimeSpan Heartbeat);
