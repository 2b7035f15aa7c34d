using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>
/// What a request about a user does to the device list (docs/spec/users.md section 7). It is the value of the request's item 0, which has structure devices and the user id as key: every request about a
/// user begins with it, also one that leaves the list as it is. So one epoch takes one request of a user, and as many may be pending as of any key. The list itself is made with the epoch.
/// </summary>
/// <param name="Creates">The user must not be there yet; otherwise it must.</param>
/// <param name="Added">Ids to add, in <see cref="DeviceList.Order"/>.</param>
/// <param name="Removed">Ids to remove, likewise; none of them is added.</param>
public sealed record UserChange(bool Creates, IReadOnlyList<ReadOnlyMemory<byte>> Added, IReadOnlyList<ReadOnlyMemory<byte>> Removed)
{
    /// <summary>ItemIndex of the change in its request.</summary>
    public const int ItemIndex = 0;

    /// <summary>ChangesList: the list gets a version. Otherwise item 0 ends without a leaf (<see cref="RefusalReason.Unchanged"/>).</summary>
    public bool ChangesList => Creates || Added.Count > 0 || Removed.Count > 0;

    /// <summary>Says whether a pending request is about a user.</summary>
    public static bool IsIn(PendingRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return IsIn(request.Items);
    }

    /// <summary>Says so of a request's items.</summary>
    public static bool IsIn(IReadOnlyList<AcceptItem> items)
    {
        ArgumentNullException.ThrowIfNull(items);
        return items[ItemIndex].Structure == StructureId.Devices;
    }

    /// <summary>
    /// Gives the change of a pending request about a user; null for a request about plain keys. <see cref="StorageCorruptException"/> for a request that <see cref="IsIn(PendingRequest)"/> says is one, and whose
    /// change cannot be read.
    /// </summary>
    public static UserChange? Of(PendingRequest request)
    {
        if (!IsIn(request))
        {
            return null;
        }
        try
        {
            return Decode(request.Items[ItemIndex].Value);
        }
        catch (StorageCorruptException e)
        {
            throw new StorageCorruptException(
                $"The pending request {request.RequestId} cannot be decided: {e.Message} If a newer update-service accepted it, run the update-task of that version; otherwise restore the database.", e);
        }
    }

    /// <summary>Gives the item's value: 0 or 1 for <see cref="Creates"/>, then both lists, each after its length (4).</summary>
    public ReadOnlyMemory<byte> Encode()
    {
        var writer = new OctetWriter(64);
        writer.U8(Creates ? (byte)1 : (byte)0);
        foreach (IReadOnlyList<ReadOnlyMemory<byte>> devices in new[] { Added, Removed })
        {
            byte[] octets = DeviceList.Encode(devices);
            writer.U32((uint)octets.Length);
            writer.Octets(octets);
        }
        return writer.Written;
    }

    /// <summary>Reads an item's value. <see cref="StorageCorruptException"/> for octets that <see cref="Encode"/> does not give.</summary>
    public static UserChange Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new OctetReader(octets, "A pending change of a user ends too early.");
        byte creates = reader.U8();
        IReadOnlyList<ReadOnlyMemory<byte>> added = Devices(ref reader);
        IReadOnlyList<ReadOnlyMemory<byte>> removed = Devices(ref reader);
        return creates > 1 || !reader.IsEmpty
            ? throw new StorageCorruptException("A pending change of a user is none.")
            : new UserChange(creates == 1, added, removed);
    }

    private static IReadOnlyList<ReadOnlyMemory<byte>> Devices(ref OctetReader reader)
    {
        try
        {
            return DeviceList.Decode(reader.Octets(reader.U32()));
        }
        catch (EncodingException e)
        {
            throw new StorageCorruptException("A pending change of a user has no list of devices.", e);
        }
    }
}
