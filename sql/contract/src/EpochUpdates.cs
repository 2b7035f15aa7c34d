namespace Optiks.Storage;

/// <summary>The pending updates that one epoch may take.</summary>
/// <param name="Requests">The requests in order of acceptance; no key occurs twice.</param>
/// <param name="Items">Number of items in all requests.</param>
/// <param name="More">Whether a limit ended the selection. If true, there are already updates for the next epoch.</param>
public sealed record EpochUpdates(IReadOnlyList<PendingRequest> Requests, int Items, bool More)
{
    /// <summary>
    /// A row up to which nothing is pending once these updates are decided. Decided rows leave dead entries in an index; a reader that
    /// begins at this row does not scan the dead entries.
    /// </summary>
    public (long Sequence, int Item) DecidedThrough { get; init; }

    /// <summary>
    /// Returns the first <paramref name="requests"/> requests, for an epoch that has no room for more. The remaining requests wait for the
    /// next epoch.
    /// </summary>
    public EpochUpdates First(int requests)
    {
        if (requests == Requests.Count)
        {
            return this;
        }
        return Keep([.. Requests.Take(requests)], Requests[requests], more: true);
    }

    /// <summary>
    /// Returns all requests except the requests with these ids, which wait for a later epoch. The returned requests share no key with the
    /// waiting requests.
    /// </summary>
    /// <param name="waiting">The ids of the requests that wait.</param>
    /// <param name="more">Whether the next epoch can decide the waiting requests.</param>
    public EpochUpdates Without(IReadOnlySet<Guid> waiting, bool more)
    {
        ArgumentNullException.ThrowIfNull(waiting);
        return waiting.Count == 0
            ? this
            : Keep([.. Requests.Where(request => !waiting.Contains(request.RequestId))], Requests.First(request => waiting.Contains(request.RequestId)), more);
    }

    private EpochUpdates Keep(IReadOnlyList<PendingRequest> kept, PendingRequest firstThatWaits, bool more)
    {
        // Pending requests before this position are decided with these updates, or DecidedThrough already ends before them.
        (long Sequence, int Item) before = (firstThatWaits.Sequence - 1, byte.MaxValue);
        return new EpochUpdates(kept, kept.Sum(request => request.Items.Count), More || more) { DecidedThrough = before.CompareTo(DecidedThrough) < 0 ? before : DecidedThrough };
    }

    /// <summary>No updates.</summary>
    public static EpochUpdates Empty { get; } = new([], 0, More: false);
}
