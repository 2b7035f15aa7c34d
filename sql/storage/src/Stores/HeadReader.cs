namespace Optiks.Storage;

/// <summary>The base class of all stores. Reads the head row and the database's clock.</summary>
public abstract class HeadReader : IHeadReader
{
    /// <summary>Creates a store on a database. The store later disposes of the database object.</summary>
    protected HeadReader(IDatabase database) => Database = database;

    /// <summary>The database that the store uses.</summary>
    protected IDatabase Database { get; }

    /// <summary>The database's statements.</summary>
    protected Statements Statements => Database.Statements;

    /// <inheritdoc/>
    public Task<HeadRow> ReadHeadAsync(CancellationToken cancellationToken) =>
        Database.ReadAsync(StoredRows.ReadHeadAsync, cancellationToken);

    /// <inheritdoc/>
    public Task<DateTimeOffset> ReadClockAsync(CancellationToken cancellationToken) =>
        Database.ReadAsync(ReadClockAsync, cancellationToken);

    /// <inheritdoc/>
    public async Task<HeadRow> WaitForPublishedAsync(ulong? publishedEpoch, TimeSpan timeout, CancellationToken cancellationToken)
    {
        // This process's own clock measures the timeout, not the database's clock.
        long start = TimeProvider.System.GetTimestamp();
        while (true)
        {
            Task notified = Database.NextPublished();
            HeadRow head = await ReadHeadAsync(cancellationToken);
            bool published = head.PublishedEpoch is ulong epoch && (publishedEpoch is null || epoch > publishedEpoch);
            TimeSpan left = timeout - TimeProvider.System.GetElapsedTime(start);
            if (published || left <= TimeSpan.Zero)
            {
                return head;
            }
            using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
            _ = await Task.WhenAny(notified, Task.Delay(left < Database.PollInterval ? left : Database.PollInterval, stop.Token));
            await stop.CancelAsync();
            cancellationToken.ThrowIfCancellationRequested();
        }
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return Database.DisposeAsync();
    }

    /// <summary>Reads the database's clock in a session.</summary>
    protected Task<DateTimeOffset> ReadClockAsync(ISession session, CancellationToken cancellationToken) =>
        session.FirstAsync(Statements.Clock, rows => rows.GetTime(0), cancellationToken);
}
