using Optiks.Protocol;

namespace Optiks.Stress.Traffic;

/// <summary>The result of a question.</summary>
/// <param name="Reply">The last answer to the question.</param>
/// <param name="Ended">Time at which this answer arrived, on the run's clock.</param>
/// <param name="Reason">The verdict on the answer; null if the answer could not or need not be verified.</param>
/// <param name="Found">The verified result, if the answer is valid.</param>
internal readonly record struct Asked<T>(Reply Reply, double Ended, Reason? Reason, T? Found);
