namespace Optiks.Native;

/// <summary>VerifiedUser is the accepted answer about one user (docs/spec/users.md section 5).</summary>
/// <param name="Kind">What the answer says.</param>
/// <param name="UserId">The user id, sent or kept; empty when there is no such user.</param>
/// <param name="Epoch">e*: of this epoch the answer is, and with it all is kept.</param>
/// <param name="LargestEpoch">Up to this epoch auditors have to cover the log.</param>
/// <param name="ListEpoch">n of the device list; 0 unless current.</param>
/// <param name="ListVersion">The device list's version; its value is null when it is the known one.</param>
/// <param name="List">The DeviceList, sent or kept; empty unless current.</param>
/// <param name="Devices">In the order of the list: all of its devices, or the one that was asked if the list has it.</param>
public sealed record VerifiedUser(
    UserKind Kind, ReadOnlyMemory<byte> UserId, ulong Epoch, ulong LargestEpoch, ulong ListEpoch, VerifiedLookup ListVersion, ReadOnlyMemory<byte> List,
    IReadOnlyList<VerifiedDevice> Devices)
{
    /// <summary>Generation of the username (docs/spec/recycled-names.md): above 1, it led to other users before, which the answer has, and which have left. 0: there is no such user, or usernames are not used again.</summary>
    public uint Generation { get; init; }
}
