using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>
/// The order in a request of <c>POST /v1/erasures</c>: it names the versions whose values are to be erased (docs/spec/erasure.md). The
/// order is the value of the request's only item. That item belongs to the structure <c>decommissioned</c>, and its key is the key or the
/// user id that the order is about. So the order waits behind a pending decommission of that user, and the limit of pending updates per key
/// applies to it. An erasure inserts no leaf: the item's result is <see cref="ItemResult.Erased"/>.
/// </summary>
/// <param name="Structure">
/// The structure whose versions are erased: <c>keys</c>, or <c>devices</c> for a user's device lists. If it is null, the order erases
/// everything of a user who has left.
/// </param>
/// <param name="From">The first version to erase, at least 1; 0 if the structure is null.</param>
/// <param name="Through">The last version to erase; 0 if the structure is null.</param>
public sealed record ErasureOrder(StructureId? Structure, ulong From, ulong Through)
{
    /// <summary>The index of the order among its request's items.</summary>
    public const int ItemIndex = 0;

    /// <summary>
    /// The largest number of values that one order may name. It also bounds the number of leaves that one epoch looks up for all orders
    /// together. An epoch exceeds this bound only for its first order (docs/spec/erasure.md).
    /// </summary>
    public const int MaxValues = ProtocolLimits.MaxErasures;

    private const int EncodedLength = 17;
    private const int EncodedLengthWithPeriod = 25;

    /// <summary>The order to erase everything of a user who has left.</summary>
    public static ErasureOrder OfUser { get; } = new(null, 0, 0);

    /// <summary>
    /// The period of the versions. It is null if the structure is null. It is also null in orders that an older release accepted; these
    /// orders name versions of the current period.
    /// </summary>
    public ulong? Period { get; init; }

    /// <summary>Creates the request's only item, which carries this order.</summary>
    public AcceptItem ToItem(ReadOnlyMemory<byte> key)
    {
        var writer = new OctetWriter(EncodedLengthWithPeriod);
        writer.U8((byte)(Structure ?? 0));
        writer.U64(From);
        writer.U64(Through);
        if (Period is ulong period)
        {
            writer.U64(period);
        }
        return new AcceptItem(StructureId.Decommissioned, key, writer.Written, null);
    }

    /// <summary>
    /// Decodes the order in a request. Throws <see cref="StorageCorruptException"/> if the item is not one that <see cref="ToItem"/>
    /// creates.
    /// </summary>
    public static ErasureOrder Parse(PendingRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        if (request.Items.Count != 1)
        {
            throw Unknown(request.RequestId);
        }
        var reader = new OctetReader(request.Items[0].Value, Unknown(request.RequestId).Message);
        byte structure = reader.U8();
        var order = new ErasureOrder(structure == 0 ? null : (StructureId)structure, reader.U64(), reader.U64())
        {
            Period = request.Items[0].Value.Length == EncodedLength ? null : reader.U64(),
        };
        bool isWhole = reader.IsEmpty && order.Structure switch
        {
            null => order == OfUser,
            StructureId.Devices or StructureId.Keys =>
                order.From > 0 && order.From <= order.Through && order.Through - order.From < MaxValues,
            _ => false,
        };
        return isWhole ? order : throw Unknown(request.RequestId);
    }

    private static StorageCorruptException Unknown(Guid requestId) =>
        new(
            $"The pending request {requestId} asks for an erasure that this build does not know: find out who wrote it to the table of pending updates, and delete its rows there.");
}
