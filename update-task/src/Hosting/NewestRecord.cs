namespace Optiks.UpdateTask.Hosting;

/// <summary>NewestRecord is what the status tells of the last record that this task leads on from.</summary>
/// <param name="Time">Its time.</param>
/// <param name="Heartbeat">How old it may get: the log's.</param>
internal sealed record NewestRecord(DateTimeOffset Time, TimeSpan Heartbeat);
