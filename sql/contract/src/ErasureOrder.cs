using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>
/// What a request of <c>POST /v1/erasures</c> asks for (docs/spec/erasure.md). It is the value of the request's only item, which has structure decommissioned and as key the key, or the user id, that
/// it is about: so it waits behind that user's decommission, and as many may be pending as of any key. An erasure inserts no leaf: its item ends with <see cref="RefusalReason.Unchanged"/>.
/// </summary>
/// <param name="Structure">Structure whose versions are erased: keys, or devices for the lists of a user; null: all of a user who has left.</param>
/// <param name="From">First version, at least 1; 0 without a structure.</param>
/// <param name="Through">Last version; 0 without a structure.</param>
public sealed record ErasureOrder(StructureId? Structure, ulong From, ulong Through)
{
    /// <summary>MaxValues that an order names, and the share of one epoch: the leaves that it looks up for all orders together, unless its first order alone needs more (docs/spec/erasure.md).</summary>
    public const int MaxValues = ProtocolLimits.MaxErasures;

    private const int EncodedLength = 17;
    private const int EncodedLengthWithPeriod = 25;

    /// <summary>OfUser is everything of a user who has left.</summary>
    public static ErasureOrder OfUser { get; } = new(null, 0, 0);

    /// <summary>Period of the versions; null without a structure, and in an order that an older release accepted: that one means the period that is served.</summary>
    public ulong? Period { get; init; }

    /// <summary>Says whether a pending request asks for an erasure.</summary>
    public static bool IsIn(PendingRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return request.Items is [{ Structure: StructureId.Decommissioned }];
    }

    /// <summary>Makes the request's item for a key or a user id.</summary>
    public AcceptItem Item(ReadOnlyMemory<byte> key)
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

    /// <summary>Reads the order of a request. <see cref="StorageCorruptException"/> for one that <see cref="Item"/> does not give.</summary>
    public static ErasureOrder Of(PendingRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        var reader = new OctetReader(request.Items[0].Value, Unknown(request.RequestId).Message);
        byte structure = reader.U8();
        var order = new ErasureOrder(structure == 0 ? null : (StructureId)structure, reader.U64(), reader.U64())
        {
            Period = request.Items[0].Value.Length == EncodedLength ? null : reader.U64(),
        };
        bool isWhole = reader.IsEmpty && order.Structure switch
        {
            null => order == OfUser,
            StructureId.Devices or StructureId.Keys => order.From > 0 && order.From <= order.Through && order.Through - order.From < MaxValues,
            _ => false,
        };
        return isWhole ? order : throw Unknown(request.RequestId);
    }

    private static StorageCorruptException Unknown(Guid requestId) =>
        new($"The pending request {requestId} asks for no erasure that this build knows: find out who wrote it to the table of pending updates, and delete its rows there.");
}
