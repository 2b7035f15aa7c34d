namespace Optiks.UpdateTask.Hosting;

/// <summary>Holds the part of the task's status that describes the newest record of the log.</summary>
/// <param name="Time">The record's time.</param>
/// <param name="Heartbeat">The log's heartbeat, which is the greatest age that the newest record may reach.</param>
internal sealed record NewestRecord(DateTimeOffset Time, TimeSpan Heartbeat);
