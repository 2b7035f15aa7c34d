namespace Optiks.Native;

/// <summary>
/// Holds a verifier's stored state of one key (docs/spec/pahd.md section 3). The default value means that nothing is known. For a version
/// above 0, either AbsentEpoch or PageVersion is known: AbsentEpoch after an answer that showed the latest version, PageVersion after a
/// page.
/// </summary>
/// <param name="LeastEpoch">The last epoch verified for the key: answers about an earlier epoch are stale.</param>
/// <param name="Period">The period of the other members.</param>
/// <param name="Version">w, the known version; 0 if no version is known.</param>
/// <param name="Time">T(w), the time of the known version.</param>
/// <param name="AbsentEpoch">n, the last epoch at which the absence of w + 1 was verified; null if unknown.</param>
/// <param name="PageVersion">b, the latest version that the last page of a history claimed, where that page ended with w; 0 if w does not
/// come from a page. Lookups do not accept a value above 0.</param>
public readonly record struct KnownKey(ulong LeastEpoch, ulong Period, ulong Version, ulong Time, ulong? AbsentEpoch, ulong PageVersion = 0);
