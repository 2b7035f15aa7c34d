namespace Optiks.Native;

/// <summary>
/// Holds a verifier's stored state of one key (docs/spec/pahd.md section 3). The default value means that nothing is known. If
/// <c>Version</c> is above 0, either <c>AbsentEpoch</c> or <c>PageVersion</c> is known: <c>AbsentEpoch</c> after an answer that showed the
/// latest version, <c>PageVersion</c> after a page of a history.
/// </summary>
/// <param name="LeastEpoch">The last epoch for which an answer about the key was verified. An answer about an earlier epoch is
/// stale.</param>
/// <param name="Period">The period to which the other members of this structure refer.</param>
/// <param name="Version">The known version, w; 0 if no version is known.</param>
/// <param name="Time">The time of the known version, T(w).</param>
/// <param name="AbsentEpoch">The last epoch n at which the absence of version w + 1 was verified; null if it was not verified.</param>
/// <param name="PageVersion">The latest version b that the last page of a history claimed, if the known version w is that page's last
/// version. It is 0 if w does not come from a page. A lookup must have 0 here.</param>
public readonly record struct KnownKey(
    ulong LeastEpoch, ulong Period, ulong Version, ulong Time, ulong? AbsentEpoch, ulong PageVersion = 0);
