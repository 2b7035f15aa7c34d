namespace Optiks.Client;

/// <summary>EndedVersions is a list of versions that ended: its latest version is proven to be the latest.</summary>
/// <param name="Latest">The latest version; 0: there is none.</param>
/// <param name="Time">Its time T.</param>
/// <param name="Versions">What was shown of the list, in order; the latest may have been known before.</param>
internal readonly record struct EndedVersions(ulong Latest, ulong Time, IReadOnlyList<VersionsExchange.TimedVersion> Versions);
