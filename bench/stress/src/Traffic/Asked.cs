using Optiks.Protocol;

namespace Optiks.Stress.Traffic;

/// <summary>Asked is what came of a question.</summary>
/// <param name="Reply">The last answer to it.</param>
/// <param name="Ended">When that was there, on the run's clock.</param>
/// <param name="Reason">What verification says of it; null: there is nothing to verify, or it was not to be.</param>
/// <param name="Found">What it shows, when valid.</param>
internal readonly record struct Asked<T>(Reply Reply, double Ended, Reason? Reason, T? Found);
