namespace Optiks.Native;

/// <summary>Holds the proven state of an owner's own user.</summary>
/// <param name="List">The versions of the device list; null if the user has left, and then the other members are empty.</param>
/// <param name="KeptList">The device list that the verifier stores from now on: the last opened version; empty if no version was
/// opened.</param>
/// <param name="Devices">The followed device ids with the versions of their keys, in increasing order of the ids.</param>
public sealed record VerifiedOwnUser(VerifiedVersions? List, ReadOnlyMemory<byte> KeptList, IReadOnlyList<VerifiedOwnDevice> Devices)
{
    /// <summary>Whether the user has left, permanently.</summary>
    public bool HasLeft => List is null;

    /// <summary>
    /// Whether the result is complete. If not, it is a page: the caller must request the next page, and must not show the results before
    /// the last page (docs/spec/user-monitor.md section 5).
    /// </summary>
    public bool Complete => List is null || (List.Complete && Devices.All(device => device.Key.Complete));
}
