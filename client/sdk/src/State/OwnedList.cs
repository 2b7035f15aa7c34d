namespace Optiks.Client;

/// <summary>
/// The version of an owned user's device list up to which the owner verified every version. It was the latest version at the epoch of the
/// last result.
/// </summary>
/// <param name="Period">Period of the version.</param>
/// <param name="Version">Number of the version, 1 or more.</param>
/// <param name="Time">Time (<c>T</c> in docs/spec/pahd.md) of the version.</param>
/// <param name="AbsentEpoch">Last epoch at which an answer proved that no later version existed.</param>
/// <param name="Octets">Octets of the list.</param>
public sealed record OwnedList(ulong Period, ulong Version, ulong Time, ulong AbsentEpoch, byte[] Octets);
