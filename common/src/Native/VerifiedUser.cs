namespace Optiks.Native;

/// <summary>Holds the accepted answer about one user (docs/spec/users.md section 5).</summary>
/// <param name="Kind">The kind of user that the answer shows.</param>
/// <param name="UserId">The user id, from the answer or from the stored state; empty if there is no such user.</param>
/// <param name="Epoch">e*, the epoch of the answer, with which the client stores the results.</param>
/// <param name="LargestEpoch">The epoch up to which auditors must cover the log.</param>
/// <param name="ListEpoch">n of the device list, the epoch at which its next version was shown absent; 0 unless the user is
/// current.</param>
/// <param name="ListVersion">The device list's latest version; its value is null if it is the version that the client knows.</param>
/// <param name="List">The DeviceList, from the answer or from the stored state; empty unless the user is current.</param>
/// <param name="Devices">The devices in the order of the list: all devices, or the queried device if the list has it.</param>
public sealed record VerifiedUser(
    UserKind Kind, ReadOnlyMemory<byte> UserId, ulong Epoch, ulong LargestEpoch, ulong ListEpoch, VerifiedLookup ListVersion, ReadOnlyMemory<byte> List,
    IReadOnlyList<VerifiedDevice> Devices)
{
    /// <summary>
    /// The generation of the username (docs/spec/recycled-names.md). If it is above 1, the username led to other users before, who have
    /// left; the answer lists them. If it is 0, there is no such user, or usernames are not reassigned.
    /// </summary>
    public uint Generation { get; init; }
}
