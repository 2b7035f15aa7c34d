using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>LeafReader reads the leaves of whole epochs into a flat batch.</summary>
internal static class LeafReader
{
    // An epoch takes at most 64 MiB of updates; more epochs join a batch only up to this.
    private const long MaxValueBytes = 64L << 20;

    /// <summary>Read reads epochs from <paramref name="first"/> on, as many as come to about <paramref name="batchRows"/> leaves, at least one, and says which was the last; null when there is none.</summary>
    public static (LeafBatch Batch, ulong? Through) Read(Connection connection, ulong first, ulong last, int batchRows)
    {
        ulong? through = null;
        long rows = 0;
        long valueBytes = 0;
        using (Statement select = connection.Prepare("SELECT epoch, leaves, value_bytes FROM epoch WHERE epoch BETWEEN ? AND ? ORDER BY epoch"))
        {
            select.Bind(1, first).Bind(2, last);
            while (select.Step())
            {
                bool fits = rows + select.Long(1) <= batchRows && valueBytes + select.Long(2) <= MaxValueBytes;
                if (through is not null && !fits)
                {
                    break;
                }
                through = select.ULong(0);
                rows += select.Long(1);
                valueBytes += select.Long(2);
            }
        }
        return rows == 0 ? (LeafBatch.Empty, through) : (ReadRows(connection, first, through!.Value, checked((int)rows), checked((int)valueBytes)), through);
    }

    private static LeafBatch ReadRows(Connection connection, ulong first, ulong through, int count, int valueBytes)
    {
        var rows = new LeafRow[count];
        var origins = new LeafOrigin[count];
        var keyEnds = new int[count];
        var values = new byte[valueBytes];
        var keys = new MemoryStream();
        int valueEnd = 0;
        int read = 0;
        long previousId = -1;
        using Statement select = connection.Prepare(
            """
            SELECT l.id, l.structure, l.version, l.item, l.label, l.commitment, l.tag, l.request_id, v.opening, v.key, v.value
            FROM leaf AS l LEFT JOIN value AS v ON v.id = l.id WHERE l.id BETWEEN ? AND ? ORDER BY l.id
            """);
        select.Bind(1, RowIds.Leaf(first, 0)).Bind(2, RowIds.LastLeaf(through));
        while (select.Step())
        {
            long id = select.Long(0);
            // The epoch's row says how many leaves it inserted; ordinals run from 0 in every epoch.
            bool follows = read < count && (RowIds.OrdinalOf(id) == 0 || id == previousId + 1);
            previousId = id;
            ReadOnlySpan<byte> value = select.Span(10);
            if (!follows || value.Length > valueBytes - valueEnd)
            {
                throw Incomplete(connection, first, through);
            }
            ref LeafRow row = ref rows[read];
            row.Structure = (StructureId)select.Int(1);
            row.Epoch = RowIds.EpochOf(id);
            row.Version = select.ULong(2);
            row.Label = select.Span(4);
            row.Commitment = select.Span(5);
            row.Tag = select.Span(6);
            if (select.IsNull(8))
            {
                row.ValueOffset = LeafRow.NoValue;
            }
            else
            {
                row.Opening = select.Span(8);
                row.ValueOffset = (ulong)valueEnd;
                row.ValueLength = (uint)value.Length;
                value.CopyTo(values.AsSpan(valueEnd));
                valueEnd += value.Length;
                keys.Write(select.Span(9));
            }
            keyEnds[read] = checked((int)keys.Length);
            origins[read] = new LeafOrigin(select.RequestId(7), select.Int(3));
            read++;
        }
        return read == count
            ? new LeafBatch(rows, values.AsMemory(0, valueEnd), keys.GetBuffer().AsMemory(0, (int)keys.Length), keyEnds, origins)
            : throw Incomplete(connection, first, through);
    }

    private static StorageCorruptException Incomplete(Connection connection, ulong first, ulong through) =>
        new($"The database {connection.Path} does not hold the leaves that were committed in epochs {first} to {through}: restore it.");
}
