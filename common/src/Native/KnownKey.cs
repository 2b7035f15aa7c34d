namespace Optiks.Native;

/// <summary>
/// Holds a verifier's stored state of one key (docs/spec/pahd.md section 3). The default value means that nothing is known. If
/// <c>Version</c> is above 0, either <c>AbsentEpoch</c> or <c>PageVersion</c> is known: <c>AbsentEpoch</c> after an answer that showed the
/// latest version, <c>PageVersion</c> after a page of a history.
/// </summary>
/// <param name="LeastEpoch">The last epoch for which an answer about the key was verified. An answer about an earlier epoch is
/// stale.</param>
/// <param name="Period">The period to which the other members of this structure refer.</param>
/// <param name="Version">w, the known version; 0 if no version is known.</param>
/// <param name="Time">T(w), the time of the known version.</param>
/// <param name="AbsentEpoch">n, the last epoch at which the absence of w + 1 was verified; null if unknown.</param>
/// <param name="PageVersion">b, the latest version that the last page of a history claimed, if the known version w is that page's last
/// version; 0 if w does not come from a page. A lookup must have 0 here.</param>
public readonly record struct KnownKey(ulong LeastEpoch, ulong Period, ulong Version, ulong Time, ulong? AbsentEpoch, ulong PageVersion = 0);
