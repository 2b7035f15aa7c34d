namespace Optiks.Storage;

/// <summary>The reads that every role may do.</summary>
public interface IHeadReader : IAsyncDisposable
{
    /// <summary>Reads the head row.</summary>
    Task<HeadRow> ReadHeadAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Reads the database's clock, which determines whether a lease has expired and whether a request id's time is acceptable.
    /// </summary>
    Task<DateTimeOffset> ReadClockAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Returns the head row once an epoch above <paramref name="publishedEpoch"/> (null: any) is published, or when
    /// <paramref name="timeout"/> has passed. Engines with notifications wait for a notification; other engines poll.
    /// </summary>
    Task<HeadRow> WaitForPublishedAsync(ulong? publishedEpoch, TimeSpan timeout, CancellationToken cancellationToken);
}
