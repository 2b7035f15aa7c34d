using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>
/// The change that a request about a user makes to the user's device list (docs/spec/users.md section 7). The change is the value of the
/// request's item 0, which belongs to the structure <c>devices</c> and has the user id as its key. Every request about a user begins with
/// that item, even if the request does not change the list. So one epoch takes at most one request per user, and the limit of pending
/// updates per key applies to users too. The update-task computes the new list when it makes the epoch.
/// </summary>
/// <param name="Creates">Whether the request creates the user. If true, the user must not exist yet; if false, the user must exist.</param>
/// <param name="Added">Ids to add, in the order of <see cref="DeviceList.Order"/>.</param>
/// <param name="Removed">Ids to remove, in the same order; no id is both added and removed.</param>
public sealed record UserChange(bool Creates, IReadOnlyList<ReadOnlyMemory<byte>> Added, IReadOnlyList<ReadOnlyMemory<byte>> Removed)
{
    /// <summary>The index of the change among its request's items.</summary>
    public const int ItemIndex = 0;

    /// <summary>
    /// Whether the device list gets a new version. If not, item 0 gets no leaf (<see cref="ItemResult.Unchanged"/>).
    /// </summary>
    public bool ChangesList => Creates || Added.Count > 0 || Removed.Count > 0;

    /// <summary>
    /// Returns the change in a pending request about a user; null for a request about plain keys. Throws
    /// <see cref="StorageCorruptException"/> when the change of a request about a user cannot be decoded.
    /// </summary>
    public static UserChange? Parse(PendingRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        if (request.Kind != RequestKind.User)
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

    /// <summary>Encodes the item's value: one byte, 0 or 1, for <see cref="Creates"/>, then both lists, each after its length in 4
    /// bytes.</summary>
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

    /// <summary>
    /// Decodes an item's value. Throws <see cref="StorageCorruptException"/> for bytes that <see cref="Encode"/> cannot produce.
    /// </summary>
    public static UserChange Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new OctetReader(octets, "A pending change of a user ends too early.");
        byte creates = reader.U8();
        IReadOnlyList<ReadOnlyMemory<byte>> added = Devices(ref reader);
        IReadOnlyList<ReadOnlyMemory<byte>> removed = Devices(ref reader);
        return creates > 1 || !reader.IsEmpty
            ? throw new StorageCorruptException("A pending change of a user is malformed.")
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
            throw new StorageCorruptException("A pending change of a user has no valid list of devices.", e);
        }
    }
}
