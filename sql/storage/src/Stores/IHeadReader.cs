namespace Optiks.Storage;

/// <summary>The read operations that every role has.</summary>
public interface IHeadReader : IAsyncDisposable
{
    /// <summary>Reads the head row.</summary>
    Task<HeadRow> ReadHeadAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Reads the database's clock, which decides whether a lease has expired and whether the time in a request id is acceptable.
    /// </summary>
    Task<DateTimeOffset> ReadClockAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Waits until an epoch after the given one (<paramref name="publishedEpoch"/>) is published, or until the <paramref name="timeout"/>
    /// has passed, and returns the head row. If the given epoch is null, any published epoch ends the wait. Engines with notifications wait
    /// for a notification; other engines poll.
    /// </summary>
    Task<HeadRow> WaitForPublishedAsync(ulong? publishedEpoch, TimeSpan timeout, CancellationToken cancellationToken);
}
