using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.Db.Fsck;

/// <summary>
/// Holds the keys of which the next period has no copies (docs/spec/periods.md section 2). These are the device lists of users who left
/// before the end of a period, and the keys of the devices that were on any of these lists in that period.
/// </summary>
internal sealed class LeftKeys
{
    private readonly IReadOnlySet<ulong> _users;
    private readonly HashSet<ulong> _devices = [];

    private LeftKeys(IReadOnlySet<ulong> users) => _users = users;

    /// <summary>Reads the device lists that the given users had in a period. The users' ids are given as hashes. Erased lists name no
    /// devices.</summary>
    public static async Task<LeftKeys> ReadAsync(
        ConsistentRead read, ulong period, ulong first, ulong last, IReadOnlySet<ulong> users, CancellationToken cancellationToken)
    {
        var left = new LeftKeys(users);
        if (users.Count == 0)
        {
            return left;
        }
        await foreach (StoredCopy copy in new CopyCursor(read, period).TakeAsync(period, cancellationToken))
        {
            Take(copy.Structure, copy.Value);
        }
        var leaves = new LeafCursor(read, first);
        for (ulong epoch = first; epoch <= last; epoch++)
        {
            foreach (StoredLeaf leaf in await leaves.TakeAsync(epoch, cancellationToken))
            {
                Take(leaf.Structure, leaf.Value);
            }
        }
        return left;

        void Take(StructureId structure, StoredValue? value)
        {
            if (structure == StructureId.Devices && value is not null && users.Contains(LeafCheck.Hash(value.Key)))
            {
                left._devices.UnionWith(DevicesOn(value.Value).Select(device => LeafCheck.Hash(device)));
            }
        }
    }

    /// <summary>Returns whether the next period begins without a copy of this device list or device value, because the user has
    /// left.</summary>
    public bool Contains(StructureId structure, ulong keyHash) => (structure == StructureId.Devices ? _users : _devices).Contains(keyHash);

    // Returns no devices for a value that is not a device list. The programs that apply such a leaf to their trees report the fault.
    private static IReadOnlyList<ReadOnlyMemory<byte>> DevicesOn(ReadOnlyMemory<byte> list)
    {
        try
        {
            return DeviceList.Decode(list);
        }
        catch (EncodingException)
        {
            return [];
        }
    }
}
