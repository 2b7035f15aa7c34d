using System.Buffers;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>
/// Reads rows of copies. A row never changes and is never deleted; only its value can be deleted. So the statements of this class may see
/// different points in time.
/// </summary>
internal static class CopyReader
{
    /// <summary>Returns the state of a period and the number that its next copy gets; null if the period does not exist.</summary>
    public static Task<(PeriodState State, int Number)?> NextAsync(ISession session, ulong period, CancellationToken cancellationToken) =>
        session.FirstAsync<(PeriodState, int)?>(
            session.Database.Statements.NextCopy, rows => ((PeriodState)rows.GetInt16(0), rows.GetInt32(1)), cancellationToken,
            Parameter.Create("period", period));

    /// <summary>Returns whether the database has the last row of the given batch, with the same label and commitment as in the
    /// batch.</summary>
    public static Task<bool> HasLastAsync(ISession session, CopyBatch copies, CancellationToken cancellationToken)
    {
        LeafRow last = copies.Rows.Span[^1];
        return session.FirstAsync(
            session.Database.Statements.HasCopy,
            _ => true,
            cancellationToken,
            Parameter.Create("period", copies.Period),
            Parameter.Create("number", copies.End - 1),
            Parameter.Create("label", last.Label.ToArray()),
            Parameter.Create("commitment", last.Commitment.ToArray()));
    }

    /// <summary>Returns the numbers of the copies that the copies from <paramref name="first"/> to <paramref name="last"/>
    /// superseded.</summary>
    public static Task<IReadOnlyList<int>> SupersededAsync(
        ISession session, ulong period, int first, int last, CancellationToken cancellationToken) => session.ListAsync(
        session.Database.Statements.Superseded,
        rows => rows.GetInt32(0),
        cancellationToken,
        Parameter.Create("period", period),
        Parameter.Create("number", first),
        Parameter.Create("last", last));

    /// <summary>
    /// Finds the copy with the given name, which is the last row with the name's label. Returns null if no row has the label, or if the
    /// last row removes the key's copy.
    /// </summary>
    public static Task<LeafPlace?> FindAsync(ISession session, ulong period, LeafName name, CancellationToken cancellationToken) =>
        session.FirstAsync(
        session.Database.Statements.FindCopy,
        rows => rows.GetUInt64(1) == 0 ? null : new LeafPlace(0, rows.GetInt32(0), rows.GetBoolean(2)) { Period = period },
        cancellationToken,
        Parameter.Create("period", period),
        Parameter.Create("structure", (int)name.Structure),
        Parameter.Create("label", name.Label));

    /// <summary>Reads a page of a period's copies, from the given number on.</summary>
    public static async Task<CopyBatch> ReadAsync(
        ISession session, ulong period, int first, int max, LeafColumns columns, CancellationToken cancellationToken)
    {
        Statements statements = session.Database.Statements;
        var page = new Page(period, first);
        Parameter[] rows = [Parameter.Create("period", period), Parameter.Create("number", first), Parameter.Create("max", max)];
        if (columns == LeafColumns.Lists)
        {
            // Because only few copies are device lists, one statement with a join reads the copies and the lists' values.
            await page.AddRowsAsync(session, statements.CopiesWithLists, [.. rows, Parameter.Create("bytes", StoredPages.MaxValueBytes)],
                withValues: true, cancellationToken);
            return page.Complete(withKeys: false);
        }
        await page.AddRowsAsync(session, statements.CopiesOfTrees, rows, withValues: false, cancellationToken);
        if (columns >= LeafColumns.Values && page.Count > 0)
        {
            await page.AddValuesAsync(session, cancellationToken);
        }
        return page.Complete(withKeys: columns == LeafColumns.All);
    }

    /// <summary>
    /// Reads a copy's source from three columns, version, source_epoch and source_ordinal. The parameter <paramref name="column"/> is the
    /// number of the first of them.
    /// </summary>
    public static CopySource Source(IRows rows, int column) =>
        rows.IsNull(column + 1) ? default : new CopySource(rows.GetUInt64(column), rows.GetUInt64(column + 1), rows.GetInt32(column + 2));

    private sealed class Page(ulong period, int first)
    {
        private readonly List<LeafRow> _rows = [];
        private readonly List<CopySource> _sources = [];
        private readonly List<int> _keyEnds = [];
        private readonly ArrayBufferWriter<byte> _values = new();
        private readonly ArrayBufferWriter<byte> _keys = new();

        public int Count => _rows.Count;

        public async Task AddRowsAsync(
            ISession session, Sql select, Parameter[] parameters, bool withValues, CancellationToken cancellationToken)
        {
            await using IRows rows = await session.QueryAsync(select, cancellationToken, parameters);
            while (_values.WrittenCount <= StoredPages.MaxValueBytes && await rows.ReadAsync(cancellationToken))
            {
                if (rows.GetInt32(0) != first + _rows.Count)
                {
                    throw new StorageCorruptException(
                        $"The database {session.Database.Location} lacks copy {first + _rows.Count} of period {period}: restore it.");
                }
                _sources.Add(Source(rows, 2));
                var row = new LeafRow
                {
                    Structure = (StructureId)rows.GetInt16(1),
                    Version = _sources[^1].IsDrop ? 0UL : 1,
                    Label = rows.GetSpan(5),
                    Commitment = rows.GetSpan(6),
                    Tag = rows.GetSpan(7),
                    ValueOffset = LeafRow.NoValue,
                };
                if (withValues && !rows.IsNull(8))
                {
                    AddValue(ref row, rows, 8);
                }
                _rows.Add(row);
            }
        }

        // Reads the values of the page's rows. The page ends with the row whose value makes the sum of the values' bytes exceed the limit.
        public async Task AddValuesAsync(ISession session, CancellationToken cancellationToken)
        {
            Parameter[] through = [Parameter.Create("period", period), Parameter.Create("number", first),
                Parameter.Create("last", first + _rows.Count - 1), Parameter.Create("bytes", StoredPages.MaxValueBytes)];
            await using IRows values = await session.QueryAsync(session.Database.Statements.CopyValues, cancellationToken, through);
            int count = 0;
            while (_values.WrittenCount <= StoredPages.MaxValueBytes && await values.ReadAsync(cancellationToken))
            {
                int end = values.GetInt32(0) - first;
                for (; count < end; count++)
                {
                    _keyEnds.Add(_keys.WrittenCount);
                }
                LeafRow row = _rows[count];
                AddValue(ref row, values, 1);
                _rows[count++] = row;
                _keys.Write(values.GetSpan(3));
                _keyEnds.Add(_keys.WrittenCount);
            }
            if (_values.WrittenCount > StoredPages.MaxValueBytes)
            {
                _rows.RemoveRange(count, _rows.Count - count);
                _sources.RemoveRange(count, _sources.Count - count);
            }
            while (_keyEnds.Count < _rows.Count)
            {
                _keyEnds.Add(_keys.WrittenCount);
            }
        }

        public CopyBatch Complete(bool withKeys) => new(
            period, first, _rows.ToArray(), _sources.ToArray(), _values.WrittenMemory, withKeys ? _keys.WrittenMemory : default,
            withKeys ? _keyEnds.ToArray() : default);

        private void AddValue(ref LeafRow row, IRows rows, int opening)
        {
            row.Opening = rows.GetSpan(opening);
            row.ValueOffset = (ulong)_values.WrittenCount;
            _values.Write(rows.GetSpan(opening + 1));
            row.ValueLength = (uint)(_values.WrittenCount - (int)row.ValueOffset);
        }
    }
}
