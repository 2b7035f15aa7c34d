namespace Optiks.Native;

/// <summary>VerifiedOwnUser is what an owner was shown of its own user.</summary>
/// <param name="List">Versions of the device list; null: the user has left, and there is nothing more.</param>
/// <param name="KeptList">The kept list from now on: the last version that was opened; empty if there is none.</param>
/// <param name="Devices">The followed ids, in increasing order.</param>
public sealed record VerifiedOwnUser(VerifiedVersions? List, ReadOnlyMemory<byte> KeptList, IReadOnlyList<VerifiedOwnDevice> Devices)
{
    /// <summary>HasLeft: the user has left, for good.</summary>
    public bool HasLeft => List is null;

    /// <summary>Complete: this is a result. False: a page, after which the caller goes on and shows nothing yet (docs/spec/user-monitor.md section 5).</summary>
    public bool Complete => List is null || (List.Complete && Devices.All(device => device.Key.Complete));
}
