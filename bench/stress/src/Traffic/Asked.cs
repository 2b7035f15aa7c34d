using Optiks.Protocol;

namespace Optiks.Stress.Traffic;

/// <summary>The result of a question.</summary>
/// <param name="Reply">The last answer to it.</param>
/// <param name="Ended">When that answer arrived, on the run's clock.</param>
/// <param name="Reason">The verdict of the verification; null if the answer could not or need not be verified.</param>
/// <param name="Found">The verified result, when valid.</param>
internal readonly record struct Asked<T>(Reply Reply, double Ended, Reason? Reason, T? Found);
