using Optiks.Native;

namespace Optiks.Client;

/// <summary>
/// An owner's knowledge of its user at the end of a period: the end states of the device list and of the keys of the devices on it
/// (docs/spec/periods.md section 6).
/// </summary>
/// <param name="List">The list's end state.</param>
/// <param name="Devices">The end states of the keys that were verified up to there, by device id in base64url.</param>
internal sealed record OwnUserEnds(EndState List, IReadOnlyDictionary<string, EndState> Devices);
