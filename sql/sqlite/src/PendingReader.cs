using Optiks.Protocol;
using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>PendingReader picks what the next epoch may take.</summary>
internal static class PendingReader
{
    /// <summary>
    /// Read goes through the pending rows in order of acceptance. A request is taken when no earlier one, taken or not, has one of its
    /// keys; it stops at the first that would exceed a limit, so that large requests are not overtaken for ever.
    /// </summary>
    public static IReadOnlyList<PendingRequest> Read(Connection connection, int maxItems, long maxBytes)
    {
        var taken = new List<PendingRequest>();
        var seen = new HashSet<UpdateKey>();
        var group = new List<(long Id, UpdateKey Key, long Bytes)>();
        long items = 0;
        long bytes = 0;
        // The length of a value is in its row's header: values of requests that must wait are not read.
        using Statement select = connection.Prepare("SELECT id, structure, key, length(value) FROM pending ORDER BY id");
        bool more = select.Step();
        while (more)
        {
            group.Clear();
            long sequence = RowIds.SequenceOf(select.Long(0));
            do
            {
                byte[] key = select.Octets(2);
                group.Add((select.Long(0), new UpdateKey((StructureId)select.Int(1), key), key.Length + select.Long(3)));
                more = select.Step();
            }
            while (more && RowIds.SequenceOf(select.Long(0)) == sequence);

            bool isOldest = group.TrueForAll(row => !seen.Contains(row.Key));
            foreach ((_, UpdateKey key, _) in group)
            {
                _ = seen.Add(key);
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
            taken.Add(ReadRequest(connection, sequence));
        }
        return taken;
    }

    private static PendingRequest ReadRequest(Connection connection, long sequence)
    {
        var items = new List<AcceptItem>();
        Guid requestId;
        byte[] bodyHash;
        using (Statement request = connection.Prepare("SELECT request_id, body_hash FROM request WHERE seq = ?"))
        {
            if (!request.Bind(1, sequence).Step())
            {
                throw new StorageCorruptException($"The database {connection.Path} has pending updates without their request: restore it.");
            }
            requestId = request.RequestId(0);
            bodyHash = request.Octets(1);
        }
        using Statement select = connection.Prepare("SELECT id, structure, key, value, expected_period, expected_version FROM pending WHERE id BETWEEN ? AND ? ORDER BY id");
        select.Bind(1, RowIds.Item(sequence, 0)).Bind(2, RowIds.LastItem(sequence));
        while (select.Step())
        {
            if (RowIds.ItemOf(select.Long(0)) != items.Count)
            {
                throw new StorageCorruptException($"The database {connection.Path} has a pending request without all of its items: restore it.");
            }
            ExpectedVersion? expected = select.IsNull(4) ? null : new ExpectedVersion(select.ULong(4), select.ULong(5));
            items.Add(new AcceptItem((StructureId)select.Int(1), select.Octets(2), select.Octets(3), expected));
        }
        return new PendingRequest(requestId, sequence, bodyHash, items);
    }
}
