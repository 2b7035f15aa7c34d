namespace Optiks.Db.Planning;

/// <summary>PlanBound is one reason for several logs.</summary>
/// <param name="What">What is bounded.</param>
/// <param name="Logs">Logs that this alone would take, as a fraction: 0.4 is a log with room.</param>
internal sealed record PlanBound(string What, double Logs);
