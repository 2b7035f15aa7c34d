namespace Optiks.Client;

/// <summary>A list of versions that ended: its latest version is proven to be the latest.</summary>
/// <param name="Latest">The latest version; 0 if the key has no version.</param>
/// <param name="Time">Its time T.</param>
/// <param name="Versions">The versions that were shown, in order. The latest may be missing if it was known before.</param>
internal readonly record struct EndedVersions(ulong Latest, ulong Time, IReadOnlyList<VersionsExchange.TimedVersion> Versions);
