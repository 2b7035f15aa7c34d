using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>Reads the status of a request.</summary>
internal static class RequestStatusReader
{
    /// <summary>Reads a request's status with one statement; returns null if the database does not know the id.</summary>
    public static async Task<RequestStatus?> ReadAsync(ISession session, Guid requestId, CancellationToken cancellationToken)
    {
        await using IRows rows = await session.QueryAsync(
            session.Database.Statements.Status, cancellationToken, Parameter.Create("id", requestId));
        var items = new List<PublishedItem>();
        ulong epoch = 0;
        RequestKind? kind = null;
        // The rows are the request's items in order, so the item's number is the number of its row and needs no column.
        for (int item = 0; await rows.ReadAsync(cancellationToken); item++)
        {
            if (rows.IsNull(2))
            {
                return rows.GetBoolean(1)
                    ? RequestStatus.Pending
                    : throw new StorageCorruptException(
                        $"The database {session.Database.Location} has a request that is neither pending nor decided: restore it.");
            }
            epoch = rows.GetUInt64(2);
            if (rows.GetNullableUInt64(0) is not ulong published || epoch > published)
            {
                return RequestStatus.Pending;
            }
            switch (new ResultColumns(rows.IsNull(7) ? null : rows.GetInt32(7), StoredRows.Refusal(rows, 3)).ToResult())
            {
                case ItemResult.Refused refused:
                    return new RequestStatus(RequestState.Refused, refused.Refusal.Kind, epoch, [], refused.Refusal);
                case ItemResult.Erased:
                    kind ??= RequestKind.Erasure;
                    break;
                case ItemResult.Unchanged:
                    kind ??= RequestKind.User;
                    break;
                case ItemResult.Leaf leaf when !rows.IsNull(8):
                    var structure = (StructureId)rows.GetInt16(8);
                    kind ??= PendingRequest.KindOf(structure);
                    items.Add(
                        new PublishedItem(item, structure, rows.GetUInt64(9), rows.GetUInt64(10), leaf.Ordinal,
                            rows.GetBytes(11)));
                    break;
                default:
                    throw new StorageCorruptException(
                        $"The database {session.Database.Location} has an outcome without its leaf in epoch {epoch}: restore it.");
            }
        }
        return kind is null ? null : new RequestStatus(RequestState.Published, kind, epoch, items, null);
    }
}
