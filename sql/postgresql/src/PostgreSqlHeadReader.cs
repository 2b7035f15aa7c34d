using Npgsql;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>PostgreSqlHeadReader is what all stores share: connections, the head and the clock.</summary>
internal abstract class PostgreSqlHeadReader : IHeadReader
{
    /// <summary>HeadColumns selects the head, by its key.</summary>
    internal const string HeadColumns = "SELECT epoch, record_hash, published_epoch, fence, holder, lease_end FROM head WHERE one = 1";

    // The safety net of notifications, which a lost connection or a proxy that pools sessions swallows.
    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(500);

    private readonly Listener _listener;

    protected PostgreSqlHeadReader(Database database)
    {
        Database = database;
        _listener = new Listener(database);
    }

    protected Database Database { get; }

    /// <inheritdoc/>
    public Task<Head> ReadHeadAsync(CancellationToken cancellationToken) => Database.ReadAsync(ReadHeadAsync, cancellationToken);

    /// <inheritdoc/>
    public Task<DateTimeOffset> ReadClockAsync(CancellationToken cancellationToken) => Database.ReadAsync(ReadClockAsync, cancellationToken);

    /// <inheritdoc/>
    public async Task<Head> WaitForPublishedAsync(ulong? publishedEpoch, TimeSpan timeout, CancellationToken cancellationToken)
    {
        long start = TimeProvider.System.GetTimestamp();
        while (true)
        {
            Task notified = _listener.Next();
            Head head = await ReadHeadAsync(cancellationToken);
            bool published = head.PublishedEpoch is ulong epoch && (publishedEpoch is null || epoch > publishedEpoch);
            TimeSpan left = timeout - TimeProvider.System.GetElapsedTime(start);
            if (published || left <= TimeSpan.Zero)
            {
                return head;
            }
            using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
            _ = await Task.WhenAny(notified, Task.Delay(left < PollInterval ? left : PollInterval, stop.Token));
            await stop.CancelAsync();
            cancellationToken.ThrowIfCancellationRequested();
        }
    }

    /// <inheritdoc/>
    public virtual async ValueTask DisposeAsync()
    {
        await _listener.DisposeAsync();
        await Database.DisposeAsync();
    }

    /// <summary>ReadHeadAsync inside a transaction.</summary>
    internal static async Task<Head> ReadHeadAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        await using NpgsqlCommand select = connection.Command(HeadColumns);
        await using NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancellationToken);
        return await ReadHeadAsync(reader, cancellationToken);
    }

    /// <summary>ReadHeadAsync from the result of <see cref="HeadColumns"/>.</summary>
    internal static async Task<Head> ReadHeadAsync(NpgsqlDataReader reader, CancellationToken cancellationToken) =>
        await reader.ReadAsync(cancellationToken)
            ? new Head(reader.NullableUlong(0), reader.Octets(1), reader.NullableUlong(2), reader.GetInt64(3), reader.GetString(4), reader.Time(5))
            : throw new StorageCorruptException("The database has no head row: restore it.");

    /// <summary>ReadClockAsync inside a transaction: the server's time of this moment, not of the transaction's beginning.</summary>
    internal static async Task<DateTimeOffset> ReadClockAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        await using NpgsqlCommand select = connection.Command("SELECT clock_timestamp()");
        return new DateTimeOffset((DateTime)(await select.ExecuteScalarAsync(cancellationToken))!, TimeSpan.Zero);
    }
}
