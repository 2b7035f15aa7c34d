namespace Optiks.UpdateTask.Hosting;

/// <summary>Holds the status's data about the last record on which this task builds.</summary>
/// <param name="Time">The record's time.</param>
/// <param name="Heartbeat">The log's heartbeat: the age that the newest record may reach.</param>
internal sealed record NewestRecord(DateTimeOffset Time, TimeSpan Heartbeat);
