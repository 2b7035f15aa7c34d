using Npgsql;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>PostgreSqlFollowStore reads epochs: the query-service's view, which ends at the published epoch, and the base of the task's, which ends at the committed one.</summary>
internal class PostgreSqlFollowStore : PostgreSqlHeadReader, IFollowStore
{
    private const int MaxEpochs = 4096;

    public PostgreSqlFollowStore(Database database)
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
            await using NpgsqlCommand select = connection.Command(
                "SELECT epoch, record, record_hash, checkpoint FROM epoch WHERE epoch BETWEEN $1 AND $2 ORDER BY epoch LIMIT $3",
                Commands.Bigint(first),
                Commands.Bigint(Math.Min(last, end)),
                Commands.Integer(MaxEpochs));
            await using NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancel);
            while (await reader.ReadAsync(cancel))
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

    /// <summary>ReadPeriodsAsync inside a transaction.</summary>
    internal static async Task<IReadOnlyList<PeriodRow>> ReadPeriodsAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        var rows = new List<PeriodRow>();
        await using NpgsqlCommand select = connection.Command("SELECT period, first_epoch, wrapped_secrets, configuration FROM period ORDER BY period");
        await using NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancellationToken);
        while (await reader.ReadAsync(cancellationToken))
        {
            rows.Add(new PeriodRow(reader.Ulong(0), reader.Ulong(1), reader.Octets(2), reader.Octets(3)));
        }
        return rows;
    }

    /// <summary>LastVisible epoch to this role; null when there is none.</summary>
    protected virtual ulong? LastVisible(Head head) => head.PublishedEpoch;
}
