namespace Optiks.Native;

/// <summary>KnownKey is what a verifier keeps of one key (docs/spec/pahd.md section 3). The default knows nothing.</summary>
/// <param name="LeastEpoch">The last epoch verified for the key: answers below it are stale.</param>
/// <param name="Period">Period that the rest belongs to.</param>
/// <param name="Version">w, the known version; 0 for none.</param>
/// <param name="Time">T(w).</param>
/// <param name="AbsentEpoch">n, the last epoch at which the absence of w + 1 was verified; null when unknown.</param>
public readonly record struct KnownKey(ulong LeastEpoch, ulong Period, ulong Version, ulong Time, ulong? AbsentEpoch);
