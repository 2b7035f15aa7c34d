namespace Optiks.Storage;

/// <summary>The pending updates that one epoch may take.</summary>
/// <param name="Requests">The requests in order of acceptance; no key occurs twice.</param>
/// <param name="Items">Number of items in all requests.</param>
/// <param name="More">Whether the selection ended because it reached a limit. If true, more updates are already pending for the next
/// epoch.</param>
public sealed record EpochUpdates(IReadOnlyList<PendingRequest> Requests, int Items, bool More)
{
    /// <summary>
    /// A position in the order of acceptance. Once these updates are decided, nothing before or at this position is pending. Deleted
    /// pending rows leave dead entries in an index, and a reader that begins at this position does not scan these entries.
    /// </summary>
    public (long Sequence, int Item) DecidedThrough { get; init; }

    /// <summary>
    /// Returns only the first of these requests, as many as the given number, for an epoch that has no room for more. The remaining
    /// requests wait for the next epoch.
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
    /// Returns these updates without the requests with the given ids, which wait for a later epoch. No remaining request shares a key with
    /// a waiting request, because no key occurs twice in these updates.
    /// </summary>
    /// <param name="waiting">The ids of the requests that wait.</param>
    /// <param name="more">Whether the next epoch can decide the waiting requests.</param>
    public EpochUpdates Without(IReadOnlySet<Guid> waiting, bool more)
    {
        ArgumentNullException.ThrowIfNull(waiting);
        return waiting.Count == 0
            ? this
            : Keep([.. Requests.Where(request => !waiting.Contains(request.RequestId))],
                Requests.First(request => waiting.Contains(request.RequestId)), more);
    }

    private EpochUpdates Keep(IReadOnlyList<PendingRequest> kept, PendingRequest firstThatWaits, bool more)
    {
        // These updates decide every pending request before this position, unless the request is after `DecidedThrough`.
        (long Sequence, int Item) before = (firstThatWaits.Sequence - 1, byte.MaxValue);
        return new EpochUpdates(kept, kept.Sum(request => request.Items.Count),
            More || more)
        { DecidedThrough = before.CompareTo(DecidedThrough) < 0 ? before : DecidedThrough };
    }

    /// <summary>A value without updates.</summary>
    public static EpochUpdates Empty { get; } = new([], 0, More: false);
}
