using Optiks.Protocol;

namespace Optiks.Stress.Traffic;

/// <summary>Holds the result of a question to a replica.</summary>
/// <param name="Reply">The last reply to the question.</param>
/// <param name="Ended">The time at which this reply arrived, in seconds on the run's clock.</param>
/// <param name="Reason">The verdict on the answer; null if there was no answer to verify, or if it was not to be verified.</param>
/// <param name="Found">The verified contents of the answer, if the answer is valid.</param>
internal readonly record struct Asked<T>(Reply Reply, double Ended, Reason? Reason, T? Found);
