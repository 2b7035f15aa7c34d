using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>SqliteHeadReader is what all three stores share: readers, the head and the clock.</summary>
internal abstract class SqliteHeadReader : IHeadReader
{
    // SQLite has no notifications. A poll is one row from the page cache, some ten microseconds.
    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(20);

    protected SqliteHeadReader(SqliteSettings settings, TimeProvider clock)
    {
        Readers = new ReaderPool(settings);
        Clock = clock;
    }

    /// <summary>Clock: SQLite runs inside this process, so that the database's clock is the machine's.</summary>
    protected TimeProvider Clock { get; }

    protected ReaderPool Readers { get; }

    /// <inheritdoc/>
    public Task<Head> ReadHeadAsync(CancellationToken cancellationToken) => Readers.RunAsync(ReadHead, cancellationToken);

    /// <inheritdoc/>
    public Task<DateTimeOffset> ReadClockAsync(CancellationToken cancellationToken) => Task.FromResult(Now());

    /// <inheritdoc/>
    public Task<Head> WaitForPublishedAsync(ulong? publishedEpoch, TimeSpan timeout, CancellationToken cancellationToken) =>
        this.PollForPublishedAsync(publishedEpoch, timeout, PollInterval, cancellationToken);

    /// <inheritdoc/>
    public virtual ValueTask DisposeAsync()
    {
        Readers.Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>ReadHead inside a transaction.</summary>
    internal static Head ReadHead(Connection connection)
    {
        using Statement select = connection.Prepare("SELECT epoch, record_hash, published_epoch, fence, holder, lease_end FROM head");
        return select.Step()
            ? new Head(select.NullableULong(0), select.Octets(1), select.NullableULong(2), select.Long(3), select.Text(4), select.Time(5))
            : throw new StorageCorruptException($"The database {connection.Path} has no head row: restore it.");
    }

    /// <summary>Now in whole milliseconds, as times are stored.</summary>
    protected DateTimeOffset Now() => DateTimeOffset.FromUnixTimeMilliseconds(Clock.GetUtcNow().ToUnixTimeMilliseconds());
}
