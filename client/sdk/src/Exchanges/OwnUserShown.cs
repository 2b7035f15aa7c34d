using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>A result about the client's own user: everything that its pages showed (docs/spec/user-monitor.md section 5).</summary>
/// <param name="User">User id.</param>
/// <param name="Epoch">Epoch of the last answer.</param>
/// <param name="Period">Period of the last answer.</param>
/// <param name="HasLeft">Whether the user has left; servers then show nothing more of the user.</param>
/// <param name="List">Versions of the device list that the answers showed.</param>
/// <param name="LatestList">Octets of the latest version of the list.</param>
/// <param name="Devices">The versions that the answers showed of each device that was on a list, by device id in base64url.</param>
internal sealed record OwnUserShown(
    KeyName User, ulong Epoch, ulong Period, bool HasLeft, EndedVersions List, ReadOnlyMemory<byte> LatestList,
    IReadOnlyDictionary<string, OwnUserDevice> Devices)
{
    /// <summary>
    /// The verdict of comparing the list's first version in the period with the list's end state in the previous period; null if they were
    /// not compared.
    /// </summary>
    public Reason? Handover { get; init; }

    /// <summary>
    /// The earliest epoch at which a server showed any part of the result. It is earlier than the epoch of the last answer if that answer
    /// left out parts that earlier answers had shown.
    /// </summary>
    public ulong Proven { get; init; }

    /// <summary>Whether the result includes all versions of the period, including those that earlier monitoring answers showed.</summary>
    public bool IsShownAgain { get; init; }

    /// <summary>Whether the list, and the keys of all devices that were on it, are true copies of their end states.</summary>
    public bool IsHandedOver => Handover == Reason.Valid && Devices.Values.All(device => device.Handover is null or Reason.Valid);
}
