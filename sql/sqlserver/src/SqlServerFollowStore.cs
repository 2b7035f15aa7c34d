using Microsoft.Data.SqlClient;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>SqlServerFollowStore reads epochs: the query-service's view, which ends at the published epoch, and the base of the task's, which ends at the committed one.</summary>
internal class SqlServerFollowStore : SqlServerHeadReader, IFollowStore
{
    private static readonly Statement s_periods = new("SELECT Period, FirstEpoch, WrappedSecrets, Configuration FROM optiks.Period ORDER BY Period");

    private static readonly Statement s_epochs = new(
        "SELECT TOP (4096) Epoch, Record, RecordHash, [Checkpoint] FROM optiks.Epoch WHERE Epoch BETWEEN @first AND @last ORDER BY Epoch");

    public SqlServerFollowStore(Database database)
        : base(database)
    {
    }

    /// <inheritdoc/>
    public Task<IReadOnlyList<PeriodRow>> ReadPeriodsAsync(CancellationToken cancellationToken) => Database.ReadAsync(ReadPeriodsAsync, cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<EpochRow>> ReadEpochsAsync(ulong first, ulong last, CancellationToken cancellationToken) => Database.ReadAsync<IReadOnlyList<EpochRow>>(
        async (connection, cancel) =>
        {
            var rows = new List<EpochRow>();
            if (LastVisible(await ReadHeadAsync(connection, cancel)) is not ulong end || first > end)
            {
                return rows;
            }
            await foreach (SqlDataReader reader in connection.RowsAsync(s_epochs, cancel, Parameters.Bigint("@first", first), Parameters.Bigint("@last", Math.Min(last, end))))
            {
                ulong epoch = reader.Ulong(0);
                if (epoch != first + (ulong)rows.Count)
                {
                    throw new StorageCorruptException($"The database {Database.Location} lacks epoch {first + (ulong)rows.Count}: restore it.");
                }
                rows.Add(new EpochRow(epoch, reader.Octets(1), reader.Octets(2), reader.Octets(3)));
            }
            return rows;
        },
        cancellationToken);

    /// <inheritdoc/>
    public IAsyncEnumerable<LeafBatch> ReadLeavesAsync(ulong first, ulong last, int batchRows, CancellationToken cancellationToken) => LeafPages.ReadAsync(
        first,
        last,
        batchRows,
        (next, cancellation) => Database.ReadAsync<(LeafBatch, ulong?)>(
            async (connection, cancel) => LastVisible(await ReadHeadAsync(connection, cancel)) is ulong end && next <= end
                ? await LeafReader.ReadAsync(connection, next, Math.Min(last, end), batchRows, cancel)
                : (LeafBatch.Empty, null),
            cancellation),
        cancellationToken);

    /// <summary>ReadPeriodsAsync on a connection.</summary>
    internal static async Task<IReadOnlyList<PeriodRow>> ReadPeriodsAsync(Connection connection, CancellationToken cancellationToken)
    {
        var rows = new List<PeriodRow>();
        await foreach (SqlDataReader reader in connection.RowsAsync(s_periods, cancellationToken))
        {
            rows.Add(new PeriodRow(reader.Ulong(0), reader.Ulong(1), reader.Octets(2), reader.Octets(3)));
        }
        return rows;
    }

    /// <summary>LastVisible epoch to this role; null when there is none.</summary>
    protected virtual ulong? LastVisible(Head head) => head.PublishedEpoch;
}
