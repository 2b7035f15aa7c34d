using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>VersionsVerdict of a HistoryAnswer or MonitorAnswer.</summary>
/// <param name="Reason">Valid, or why not.</param>
/// <param name="FailedKey">Index of the key whose proof failed; null when valid or when it was none of them.</param>
/// <param name="Head">The head when valid, otherwise null.</param>
/// <param name="Keys">One result for each key when valid, otherwise empty.</param>
public sealed record VersionsVerdict(Reason Reason, int? FailedKey, VerifiedHead? Head, IReadOnlyList<VerifiedVersions> Keys);
