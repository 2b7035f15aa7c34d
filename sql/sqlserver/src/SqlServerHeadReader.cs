using Microsoft.Data.SqlClient;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>SqlServerHeadReader is what all stores share: connections, the head and the clock.</summary>
internal abstract class SqlServerHeadReader : IHeadReader
{
    // The engine's notifications need a broker, rights and a queue for each reader. A poll is one row from memory in one round trip.
    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(50);

    /// <summary>Query reads what <see cref="ReadHead"/> takes.</summary>
    internal const string Query = "SELECT Epoch, RecordHash, PublishedEpoch, Fence, Holder, LeaseEnd FROM optiks.Head";

    private static readonly Statement s_head = new(Query);

    private static readonly Statement s_clock = new("SELECT SYSUTCDATETIME()");

    protected SqlServerHeadReader(Database database) => Database = database;

    protected Database Database { get; }

    /// <inheritdoc/>
    public Task<Head> ReadHeadAsync(CancellationToken cancellationToken) => Database.ReadAsync(ReadHeadAsync, cancellationToken);

    /// <inheritdoc/>
    public Task<DateTimeOffset> ReadClockAsync(CancellationToken cancellationToken) => Database.ReadAsync(ReadClockAsync, cancellationToken);

    /// <inheritdoc/>
    public Task<Head> WaitForPublishedAsync(ulong? publishedEpoch, TimeSpan timeout, CancellationToken cancellationToken) =>
        this.PollForPublishedAsync(publishedEpoch, timeout, PollInterval, cancellationToken);

    /// <inheritdoc/>
    public virtual ValueTask DisposeAsync() => Database.DisposeAsync();

    /// <summary>ReadHeadAsync on a connection.</summary>
    internal static async Task<Head> ReadHeadAsync(Connection connection, CancellationToken cancellationToken)
    {
        Head? head = null;
        await foreach (SqlDataReader reader in connection.RowsAsync(s_head, cancellationToken))
        {
            head = ReadHead(reader);
        }
        return head ?? throw NoHead();
    }

    /// <summary>ReadHead takes the head from the row that a reader is at.</summary>
    internal static Head ReadHead(SqlDataReader reader) =>
        new(reader.NullableUlong(0), reader.Octets(1), reader.NullableUlong(2), reader.GetInt64(3), reader.GetString(4), reader.Time(5));

    /// <summary>NoHead is what a query without a row means.</summary>
    internal static StorageCorruptException NoHead() => new("The database has no head row: restore it.");

    /// <summary>ReadClockAsync on a connection: the server's time of this moment.</summary>
    internal static async Task<DateTimeOffset> ReadClockAsync(Connection connection, CancellationToken cancellationToken) =>
        new((DateTime)(await connection.ScalarAsync(s_clock, cancellationToken))!, TimeSpan.Zero);
}
