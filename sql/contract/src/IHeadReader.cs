namespace Optiks.Storage;

/// <summary>What every role may read.</summary>
public interface IHeadReader : IAsyncDisposable
{
    /// <summary>Reads the head row.</summary>
    Task<HeadRow> ReadHeadAsync(CancellationToken cancellationToken);

    /// <summary>Reads the database's clock, the one that expiry and request ids are judged by.</summary>
    Task<DateTimeOffset> ReadClockAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Returns the head row once an epoch above <paramref name="publishedEpoch"/> (null: any) is published, or when
    /// <paramref name="timeout"/> has passed. Engines with notifications wait for one, others poll.
    /// </summary>
    Task<HeadRow> WaitForPublishedAsync(ulong? publishedEpoch, TimeSpan timeout, CancellationToken cancellationToken);
}
