using Optiks.Native;

namespace Optiks.Client;

/// <summary>
/// An owner's knowledge of its user at the end of a period: the end states of the device list and of the keys of the devices on it
/// (docs/spec/periods.md section 6).
/// </summary>
/// <param name="List">End state of the device list.</param>
/// <param name="Devices">The end states of the keys that the owner verified up to the end of the period, by device id in base64url.</param>
internal sealed record OwnUserEnds(EndState List, IReadOnlyDictionary<string, EndState> Devices);
