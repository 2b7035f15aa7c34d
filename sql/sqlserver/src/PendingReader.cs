using System.Runtime.CompilerServices;
using Microsoft.Data.SqlClient;
using Optiks.Protocol;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>
/// PendingReader picks what the next epoch may take. Rows are added at the end, in the order of their numbers, and only the task that reads them deletes any: its statements need not see one moment.
/// </summary>
internal static class PendingReader
{
    // A long queue is not sent whole: a page is about what one small epoch takes.
    private const int PageRows = 8192;

    // The length of a value is known without reading it: values of requests that must wait are not read.
    private static readonly Statement s_page = new(
        """
        SELECT TOP (@rows) Seq, Item, Structure, [Key], CAST(DATALENGTH([Value]) AS bigint) FROM optiks.Pending
        WHERE Seq >= @seq AND (Seq > @seq OR Item > @item) ORDER BY Seq, Item
        """);

    private static readonly Statement s_requests = new(
        """
        SELECT p.Seq, p.Item, r.RequestId, r.BodyHash, p.Structure, p.[Key], p.[Value], p.ExpectedPeriod, p.ExpectedVersion
        FROM @sequences AS s JOIN optiks.Pending AS p ON p.Seq = s.Seq LEFT JOIN optiks.Request AS r ON r.Seq = p.Seq ORDER BY p.Seq, p.Item
        """);

    /// <summary>
    /// ReadAsync goes through the pending rows in order of acceptance. A request is taken when no earlier one, taken or not, has one of its
    /// keys; it stops at the first that would exceed a limit, so that large requests are not overtaken for ever.
    /// </summary>
    public static async Task<IReadOnlyList<PendingRequest>> ReadAsync(Connection connection, int maxItems, long maxBytes, CancellationToken cancellationToken)
    {
        var taken = new List<long>();
        var seen = new HashSet<UpdateKey>();
        long items = 0;
        long bytes = 0;
        await foreach (List<Row> group in GroupsAsync(connection, cancellationToken))
        {
            bool isOldest = group.TrueForAll(row => !seen.Contains(row.Key));
            foreach (Row row in group)
            {
                _ = seen.Add(row.Key);
            }
            if (!isOldest)
            {
                continue;
            }
            items += group.Count;
            bytes += group.Sum(row => row.Bytes);
            if (taken.Count > 0 && (items > maxItems || bytes > maxBytes))
            {
                break;
            }
            taken.Add(group[0].Sequence);
        }
        return await ReadRequestsAsync(connection, taken, cancellationToken);
    }

    private static async IAsyncEnumerable<List<Row>> GroupsAsync(Connection connection, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var group = new List<Row>();
        (long Sequence, int Item) after = (0, 0);
        while (true)
        {
            List<Row> page = await ReadPageAsync(connection, after.Sequence, after.Item, cancellationToken);
            foreach (Row row in page)
            {
                if (group.Count > 0 && group[0].Sequence != row.Sequence)
                {
                    yield return group;
                    group = [];
                }
                group.Add(row);
            }
            if (page.Count < PageRows)
            {
                break;
            }
            after = (page[^1].Sequence, page[^1].Item);
        }
        if (group.Count > 0)
        {
            yield return group;
        }
    }

    private static async Task<List<Row>> ReadPageAsync(Connection connection, long afterSequence, int afterItem, CancellationToken cancellationToken)
    {
        var page = new List<Row>();
        await foreach (SqlDataReader reader in connection.RowsAsync(
            s_page, cancellationToken, Parameters.Int("@rows", PageRows), Parameters.Bigint("@seq", afterSequence), Parameters.Int("@item", afterItem)))
        {
            byte[] key = reader.Octets(3);
            page.Add(new Row(reader.GetInt64(0), reader.GetByte(1), new UpdateKey((StructureId)reader.GetByte(2), key), key.Length + reader.GetInt64(4)));
        }
        return page;
    }

    private static async Task<IReadOnlyList<PendingRequest>> ReadRequestsAsync(Connection connection, List<long> sequences, CancellationToken cancellationToken)
    {
        var requests = new List<PendingRequest>(sequences.Count);
        var items = new List<AcceptItem>();
        foreach (long[] chunk in connection.Chunks(sequences))
        {
            await foreach (SqlDataReader reader in connection.RowsAsync(s_requests, cancellationToken, Lists.Sequences.Parameter("@sequences", chunk)))
            {
                if (reader.IsDBNull(2))
                {
                    throw new StorageCorruptException("The database has pending updates without their request: restore it.");
                }
                long sequence = reader.GetInt64(0);
                if (requests.Count == 0 || requests[^1].Sequence != sequence)
                {
                    items = [];
                    requests.Add(new PendingRequest(reader.RequestId(2), sequence, reader.Octets(3), items));
                }
                if (reader.GetByte(1) != items.Count)
                {
                    throw new StorageCorruptException("The database has a pending request without all of its items: restore it.");
                }
                ExpectedVersion? expected = reader.IsDBNull(7) ? null : new ExpectedVersion(reader.Ulong(7), reader.Ulong(8));
                items.Add(new AcceptItem((StructureId)reader.GetByte(4), reader.Octets(5), reader.Octets(6), expected));
            }
        }
        return requests;
    }

    private readonly record struct Row(long Sequence, int Item, UpdateKey Key, long Bytes);
}
