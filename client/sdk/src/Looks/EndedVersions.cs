namespace Optiks.Client;

/// <summary>A complete list of versions: the answer proved that no version after the latest exists.</summary>
/// <param name="Latest">The latest version; 0 if the key has no version.</param>
/// <param name="Time">Time (T) of the latest version.</param>
/// <param name="Versions">
/// The versions that the answer showed, in order. The latest version may be missing from the list if the client already knew that version.
/// </param>
internal readonly record struct EndedVersions(ulong Latest, ulong Time, IReadOnlyList<TimedVersion> Versions);
