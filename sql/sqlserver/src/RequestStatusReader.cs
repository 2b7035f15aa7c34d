using Microsoft.Data.SqlClient;
using Optiks.Protocol;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>RequestStatusReader says what became of a request.</summary>
internal static class RequestStatusReader
{
    private static readonly Statement s_status = new(
        """
        SELECT h.PublishedEpoch, CASE WHEN EXISTS (SELECT 1 FROM optiks.Pending AS p WHERE p.Seq = r.Seq) THEN 1 ELSE 0 END, o.Epoch, o.Refusal, o.RefusedItem, o.CurrentPeriod,
               o.CurrentVersion, o.Ordinal, l.Structure, l.Period, l.Version, v.[Key]
        FROM optiks.Request AS r CROSS JOIN optiks.Head AS h LEFT JOIN optiks.Outcome AS o ON o.Seq = r.Seq
        LEFT JOIN optiks.Leaf AS l ON l.Epoch = o.Epoch AND l.Ordinal = o.Ordinal LEFT JOIN optiks.[Value] AS v ON v.Epoch = l.Epoch AND v.Ordinal = l.Ordinal
        WHERE r.RequestId = @id ORDER BY o.Item
        """);

    /// <summary>ReadAsync reads a status in one statement; null: the id is not known.</summary>
    public static async Task<RequestStatus?> ReadAsync(Connection connection, Guid requestId, CancellationToken cancellationToken)
    {
        var items = new List<PublishedItem>();
        ulong epoch = 0;
        await foreach (SqlDataReader reader in connection.RowsAsync(s_status, cancellationToken, Parameters.RequestId("@id", requestId)))
        {
            if (reader.IsDBNull(2))
            {
                return reader.GetInt32(1) == 1
                    ? new RequestStatus(RequestState.Pending, 0, [], null)
                    : throw new StorageCorruptException("The database has a request that is neither pending nor decided: restore it.");
            }
            epoch = reader.Ulong(2);
            if (reader.NullableUlong(0) is not ulong published || epoch > published)
            {
                return new RequestStatus(RequestState.Pending, 0, [], null);
            }
            if (!reader.IsDBNull(3))
            {
                var current = new ExpectedVersion(reader.Ulong(5), reader.Ulong(6));
                return new RequestStatus(RequestState.Refused, epoch, [], new Refusal((RefusalReason)reader.GetByte(3), reader.GetByte(4), current));
            }
            if (reader.IsDBNull(8))
            {
                throw new StorageCorruptException($"The database has an outcome without its leaf in epoch {epoch}: restore it.");
            }
            items.Add(new PublishedItem((StructureId)reader.GetByte(8), reader.Ulong(9), reader.Ulong(10), reader.GetInt32(7), reader.Octets(11)));
        }
        return items.Count > 0 ? new RequestStatus(RequestState.Published, epoch, items, null) : null;
    }
}
