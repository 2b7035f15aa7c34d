namespace Optiks.Native;

/// <summary>
/// KnownKey is what a verifier keeps of one key (docs/spec/pahd.md section 3). The default knows nothing. Of a version above 0 either AbsentEpoch or PageVersion is
/// known: the first after an answer that showed the latest version, the other after a page.
/// </summary>
/// <param name="LeastEpoch">The last epoch verified for the key: answers below it are stale.</param>
/// <param name="Period">Period that the rest belongs to.</param>
/// <param name="Version">w, the known version; 0 for none.</param>
/// <param name="Time">T(w).</param>
/// <param name="AbsentEpoch">n, the last epoch at which the absence of w + 1 was verified; null when unknown.</param>
/// <param name="PageVersion">b, the latest version that the page before claimed, which ended with w; 0 when it is not after a page. No lookup takes it.</param>
public readonly record struct KnownKey(ulong LeastEpoch, ulong Period, ulong Version, ulong Time, ulong? AbsentEpoch, ulong PageVersion = 0);
