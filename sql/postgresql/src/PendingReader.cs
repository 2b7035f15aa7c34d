using System.Runtime.CompilerServices;
using Npgsql;
using NpgsqlTypes;
using Optiks.Protocol;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>PendingReader picks what the next epoch may take.</summary>
internal static class PendingReader
{
    // A long queue is not sent whole: a page is about what one small epoch takes.
    private const int PageRows = 8192;

    /// <summary>
    /// ReadAsync goes through the pending rows in order of acceptance. A request is taken when no earlier one, taken or not, has one of its
    /// keys; it stops at the first that would exceed a limit, so that large requests are not overtaken for ever.
    /// </summary>
    public static async Task<IReadOnlyList<PendingRequest>> ReadAsync(NpgsqlConnection connection, int maxItems, long maxBytes, CancellationToken cancellationToken)
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
        return taken.Count == 0 ? [] : await ReadRequestsAsync(connection, [.. taken], cancellationToken);
    }

    private static async IAsyncEnumerable<List<Row>> GroupsAsync(NpgsqlConnection connection, [EnumeratorCancellation] CancellationToken cancellationToken)
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

    private static async Task<List<Row>> ReadPageAsync(NpgsqlConnection connection, long afterSequence, int afterItem, CancellationToken cancellationToken)
    {
        var page = new List<Row>();
        // The length of a value is in its row's header: values of requests that must wait are not read.
        await using NpgsqlCommand select = connection.Command(
            "SELECT seq, item, structure, key, octet_length(value) FROM pending WHERE (seq, item) > ($1, $2) ORDER BY seq, item LIMIT $3",
            Commands.Bigint(afterSequence),
            Commands.Integer(afterItem),
            Commands.Integer(PageRows));
        await using NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancellationToken);
        while (await reader.ReadAsync(cancellationToken))
        {
            byte[] key = reader.Octets(3);
            page.Add(new Row(reader.GetInt64(0), reader.GetInt16(1), new UpdateKey((StructureId)reader.GetInt16(2), key), key.Length + reader.GetInt32(4)));
        }
        return page;
    }

    private static async Task<IReadOnlyList<PendingRequest>> ReadRequestsAsync(NpgsqlConnection connection, long[] sequences, CancellationToken cancellationToken)
    {
        var requests = new List<PendingRequest>(sequences.Length);
        var items = new List<AcceptItem>();
        await using NpgsqlCommand select = connection.Command(
            """
            SELECT p.seq, p.item, r.request_id, r.body_hash, p.structure, p.key, p.value, p.expected_period, p.expected_version
            FROM pending AS p LEFT JOIN request AS r ON r.seq = p.seq WHERE p.seq = ANY ($1) ORDER BY p.seq, p.item
            """,
            Commands.List(sequences, NpgsqlDbType.Bigint));
        await using NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancellationToken);
        while (await reader.ReadAsync(cancellationToken))
        {
            if (reader.IsDBNull(2))
            {
                throw new StorageCorruptException("The database has pending updates without their request: restore it.");
            }
            long sequence = reader.GetInt64(0);
            if (requests.Count == 0 || requests[^1].Sequence != sequence)
            {
                items = [];
                requests.Add(new PendingRequest(reader.GetGuid(2), sequence, reader.Octets(3), items));
            }
            if (reader.GetInt16(1) != items.Count)
            {
                throw new StorageCorruptException("The database has a pending request without all of its items: restore it.");
            }
            ExpectedVersion? expected = reader.IsDBNull(7) ? null : new ExpectedVersion(reader.Ulong(7), reader.Ulong(8));
            items.Add(new AcceptItem((StructureId)reader.GetInt16(4), reader.Octets(5), reader.Octets(6), expected));
        }
        return requests;
    }

    private readonly record struct Row(long Sequence, int Item, UpdateKey Key, long Bytes);
}
