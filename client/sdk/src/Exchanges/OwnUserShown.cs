using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>A result about the client's own user: everything that its pages showed (docs/spec/user-monitor.md section 5).</summary>
/// <param name="User">User id.</param>
/// <param name="Epoch">Epoch of the last answer.</param>
/// <param name="Period">Its period.</param>
/// <param name="HasLeft">The user has left; then nothing more is shown.</param>
/// <param name="List">Versions of the device list.</param>
/// <param name="LatestList">Octets of the latest one.</param>
/// <param name="Devices">The versions that were shown of each device that was on a list, by id in base64url.</param>
internal sealed record OwnUserShown(
    KeyName User, ulong Epoch, ulong Period, bool HasLeft, EndedVersions List, ReadOnlyMemory<byte> LatestList, IReadOnlyDictionary<string, OwnUserDevice> Devices)
{
    /// <summary>The verdict of the list's comparison with the end of the previous period; null if they were not compared.</summary>
    public Reason? Handover { get; init; }

    /// <summary>The first epoch at which the server showed a part of the result, now or earlier if it left that part out now.</summary>
    public ulong Proven { get; init; }

    /// <summary>Whether the result includes all of the period, with what an earlier look showed.</summary>
    public bool IsShownAgain { get; init; }

    /// <summary>Whether the list, and the keys of all devices that were on it, are true copies.</summary>
    public bool IsHandedOver => Handover == Reason.Valid && Devices.Values.All(device => device.Handover is null or Reason.Valid);
}
