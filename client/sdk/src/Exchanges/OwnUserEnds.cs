using Optiks.Native;

namespace Optiks.Client;

/// <summary>OwnUserEnds is what is known of an owner's user at the end of a period: the end states of its list and of the keys of the devices on it (docs/spec/periods.md section 6).</summary>
/// <param name="List">That of the list.</param>
/// <param name="Devices">Those of the keys that were verified up to there, by device id in base64url.</param>
internal sealed record OwnUserEnds(EndState List, IReadOnlyDictionary<string, EndState> Devices);
