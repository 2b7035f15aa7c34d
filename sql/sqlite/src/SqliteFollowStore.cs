using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>SqliteFollowStore reads epochs: the query-service's view, which ends at the published epoch, and the base of the task's, which ends at the committed one.</summary>
internal class SqliteFollowStore : SqliteHeadReader, IFollowStore
{
    private const int MaxEpochs = 4096;

    public SqliteFollowStore(SqliteSettings settings, TimeProvider clock)
        : base(settings, clock)
    {
    }

    /// <inheritdoc/>
    public Task<IReadOnlyList<PeriodRow>> ReadPeriodsAsync(CancellationToken cancellationToken) => Readers.RunAsync(ReadPeriods, cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<EpochRow>> ReadEpochsAsync(ulong first, ulong last, CancellationToken cancellationToken) => Readers.RunAsync<IReadOnlyList<EpochRow>>(
        connection =>
        {
            var rows = new List<EpochRow>();
            if (LastVisible(ReadHead(connection)) is not ulong end || first > end)
            {
                return rows;
            }
            using Statement select = connection.Prepare("SELECT epoch, record, record_hash, checkpoint FROM epoch WHERE epoch BETWEEN ? AND ? ORDER BY epoch LIMIT ?");
            select.Bind(1, first).Bind(2, Math.Min(last, end)).Bind(3, MaxEpochs);
            while (select.Step())
            {
                ulong epoch = select.ULong(0);
                if (epoch != first + (ulong)rows.Count)
                {
                    throw new StorageCorruptException($"The database {connection.Path} lacks epoch {first + (ulong)rows.Count}: restore it.");
                }
                rows.Add(new EpochRow(epoch, select.Octets(1), select.Octets(2), select.Octets(3)));
            }
            return rows;
        },
        cancellationToken);

    /// <inheritdoc/>
    public IAsyncEnumerable<LeafBatch> ReadLeavesAsync(ulong first, ulong last, int batchRows, CancellationToken cancellationToken) => LeafPages.ReadAsync(
        first,
        last,
        batchRows,
        (next, cancellation) => Readers.RunAsync<(LeafBatch, ulong?)>(
            connection => LastVisible(ReadHead(connection)) is ulong end && next <= end
                ? LeafReader.Read(connection, next, Math.Min(last, end), batchRows)
                : (LeafBatch.Empty, null),
            cancellation),
        cancellationToken);

    /// <summary>ReadPeriods inside a transaction.</summary>
    internal static IReadOnlyList<PeriodRow> ReadPeriods(Connection connection)
    {
        var rows = new List<PeriodRow>();
        using Statement select = connection.Prepare("SELECT period, first_epoch, wrapped_secrets, configuration FROM period ORDER BY period");
        while (select.Step())
        {
            rows.Add(new PeriodRow(select.ULong(0), select.ULong(1), select.Octets(2), select.Octets(3)));
        }
        return rows;
    }

    /// <summary>LastVisible epoch to this role; null when there is none.</summary>
    protected virtual ulong? LastVisible(Head head) => head.PublishedEpoch;
}
