namespace Optiks.Db.Planning;

/// <summary>One bound that may require several logs.</summary>
/// <param name="What">The quantity that is bounded.</param>
/// <param name="Logs">The number of logs that this bound alone would require, as a fraction: 0.4 means one log with room.</param>
internal sealed record PlanBound(string What, double Logs);
