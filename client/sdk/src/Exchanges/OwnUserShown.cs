using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>OwnUserShown is a result about one's own user: all that its pages showed (docs/spec/user-monitor.md section 5).</summary>
/// <param name="User">User id.</param>
/// <param name="Epoch">Epoch of the last answer.</param>
/// <param name="Period">Its period.</param>
/// <param name="HasLeft">The user has left; then nothing more is shown.</param>
/// <param name="List">Versions of the device list.</param>
/// <param name="LatestList">Octets of the latest one.</param>
/// <param name="Devices">What was shown of each device that was on a list, by id in base64url.</param>
internal sealed record OwnUserShown(
    KeyName User, ulong Epoch, ulong Period, bool HasLeft, EndedVersions List, ReadOnlyMemory<byte> LatestList, IReadOnlyDictionary<string, OwnUserDevice> Devices)
{
    /// <summary>Handover of the list: what its comparison with the end of the period before said; null: there was none.</summary>
    public Reason? Handover { get; init; }

    /// <summary>Proven is the first epoch at which something of it was shown, or was shown before and left out.</summary>
    public ulong Proven { get; init; }

    /// <summary>IsShownAgain: all of the period, with what an earlier look showed.</summary>
    public bool IsShownAgain { get; init; }

    /// <summary>IsHandedOver: the list and the keys of all devices that were on it are true copies.</summary>
    public bool IsHandedOver => Handover == Reason.Valid && Devices.Values.All(device => device.Handover is null or Reason.Valid);
}
