namespace Optiks.Db.Planning;

/// <summary>One bound that may require several logs.</summary>
/// <param name="What">The quantity that is bounded.</param>
/// <param name="Logs">The number of logs that would be needed if this were the only bound. It may be a fraction: 0.4 means that one log is
/// enough and 60 % of the bound is unused.</param>
internal sealed record PlanBound(string What, double Logs);
