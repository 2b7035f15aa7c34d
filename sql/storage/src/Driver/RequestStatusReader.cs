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
        bool isDecided = false;
        // The rows are the request's items in order, so the item's number is the number of its row and needs no column.
        for (int item = 0; await rows.ReadAsync(cancellationToken); item++)
        {
            if (rows.IsNull(2))
            {
                return rows.GetBoolean(1)
                    ? new RequestStatus(RequestState.Pending, 0, [], null)
                    : throw new StorageCorruptException(
                        $"The database {session.Database.Location} has a request that is neither pending nor decided: restore it.");
            }
            epoch = rows.GetUInt64(2);
            if (rows.GetNullableUInt64(0) is not ulong published || epoch > published)
            {
                return new RequestStatus(RequestState.Pending, 0, [], null);
            }
            isDecided = true;
            switch (new ResultColumns(rows.IsNull(7) ? null : rows.GetInt32(7), StoredRows.Refusal(rows, 3)).ToResult())
            {
                case ItemResult.Refused refused:
                    return new RequestStatus(RequestState.Refused, epoch, [], refused.Refusal);
                case ItemResult.Unchanged:
                    break;
                case ItemResult.Leaf leaf when !rows.IsNull(8):
                    items.Add(
                        new PublishedItem(item, (StructureId)rows.GetInt16(8), rows.GetUInt64(9), rows.GetUInt64(10), leaf.Ordinal,
                            rows.GetBytes(11)));
                    break;
                default:
                    throw new StorageCorruptException(
                        $"The database {session.Database.Location} has an outcome without its leaf in epoch {epoch}: restore it.");
            }
        }
        return isDecided ? new RequestStatus(RequestState.Published, epoch, items, null) : null;
    }
}
