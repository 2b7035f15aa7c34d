namespace Optiks.Native;

/// <summary>Holds the accepted answer about one user (docs/spec/users.md section 5).</summary>
/// <param name="Kind">The kind of user that the answer shows.</param>
/// <param name="UserId">The user id, from the answer or from the stored state; empty if there is no such user.</param>
/// <param name="Epoch">The epoch of the answer, e*. The client stores this epoch with the results.</param>
/// <param name="LargestEpoch">The epoch up to which auditors must cover the log.</param>
/// <param name="ListEpoch">The value n of the device list: the epoch at which the answer showed the absence of the list's next version. It
/// is 0 unless the user is current.</param>
/// <param name="ListVersion">The device list's latest version. The <c>Value</c> of this version is null if the client already knows the
/// version.</param>
/// <param name="List">The DeviceList of the latest version, from the answer or from the stored state; empty unless the user is
/// current.</param>
/// <param name="Devices">The devices in the order of the device list: all devices, or only the queried device if the list has it.</param>
public sealed record VerifiedUser(
    UserKind Kind, ReadOnlyMemory<byte> UserId, ulong Epoch, ulong LargestEpoch, ulong ListEpoch, VerifiedLookup ListVersion,
    ReadOnlyMemory<byte> List,
    IReadOnlyList<VerifiedDevice> Devices)
{
    /// <summary>
    /// The generation of the username (docs/spec/recycled-names.md). If it is above 1, the username led to other users before; those users
    /// have left, and the answer lists them. If it is 0, the username leads to no user, or the log does not reassign usernames.
    /// </summary>
    public uint Generation { get; init; }
}
