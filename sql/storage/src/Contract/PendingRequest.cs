using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>An accepted request that waits for an epoch.</summary>
/// <param name="RequestId">The client's id.</param>
/// <param name="Sequence">Order of acceptance.</param>
/// <param name="BodyHash">Hash of the request's content, 32 bytes.</param>
/// <param name="Items">The items, in order.</param>
public sealed record PendingRequest(Guid RequestId, long Sequence, ReadOnlyMemory<byte> BodyHash, IReadOnlyList<AcceptItem> Items)
{
    /// <summary>The kind of the request.</summary>
    public RequestKind Kind => KindOf(Items[0].Structure);

    /// <summary>Returns the kind of a request whose first item belongs to this structure.</summary>
    public static RequestKind KindOf(StructureId first) => first switch
    {
        StructureId.Devices => RequestKind.User,
        StructureId.Decommissioned => RequestKind.Erasure,
        _ => RequestKind.Keys,
    };
}
