namespace Optiks.Storage;

/// <summary>IHeadReader is what every role may read.</summary>
public interface IHeadReader : IAsyncDisposable
{
    /// <summary>ReadHeadAsync reads the head row.</summary>
    Task<HeadRow> ReadHeadAsync(CancellationToken cancellationToken);

    /// <summary>ReadClockAsync reads the database's clock, the one that expiry and request ids are judged by.</summary>
    Task<DateTimeOffset> ReadClockAsync(CancellationToken cancellationToken);

    /// <summary>
    /// WaitForPublishedAsync returns the head row once an epoch above <paramref name="publishedEpoch"/> (null: any) is published, or when
    /// <paramref name="timeout"/> has passed. Engines with notifications wait for one, others poll.
    /// </summary>
    Task<HeadRow> WaitForPublishedAsync(ulong? publishedEpoch, TimeSpan timeout, CancellationToken cancellationToken);
}
