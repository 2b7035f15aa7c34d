namespace Optiks.Storage;

/// <summary>What one epoch may take.</summary>
/// <param name="Requests">In order of acceptance; no key twice.</param>
/// <param name="Items">Number of their items.</param>
/// <param name="More">Whether a limit ended them: the next epoch has work already.</param>
public sealed record EpochUpdates(IReadOnlyList<PendingRequest> Requests, int Items, bool More)
{
    /// <summary>
    /// A row up to which nothing is pending once these are decided. Rows that were decided leave dead entries in an index: whoever begins there does not pass them.
    /// </summary>
    public (long Sequence, int Item) DecidedThrough { get; init; }

    /// <summary>Gives the first of the requests, when an epoch has no room for the others: they wait for the next.</summary>
    public EpochUpdates First(int requests)
    {
        if (requests == Requests.Count)
        {
            return this;
        }
        return Keep([.. Requests.Take(requests)], Requests[requests], more: true);
    }

    /// <summary>Gives the requests but those with these ids, which wait for a later epoch. None of the others has a key of theirs.</summary>
    /// <param name="waiting">Ids.</param>
    /// <param name="more">Whether the next epoch can decide them.</param>
    public EpochUpdates Without(IReadOnlySet<Guid> waiting, bool more)
    {
        ArgumentNullException.ThrowIfNull(waiting);
        return waiting.Count == 0
            ? this
            : Keep([.. Requests.Where(request => !waiting.Contains(request.RequestId))], Requests.First(request => waiting.Contains(request.RequestId)), more);
    }

    private EpochUpdates Keep(IReadOnlyList<PendingRequest> kept, PendingRequest firstThatWaits, bool more)
    {
        // Earlier pending requests are decided with these, or DecidedThrough ends before them already.
        (long Sequence, int Item) before = (firstThatWaits.Sequence - 1, byte.MaxValue);
        return new EpochUpdates(kept, kept.Sum(request => request.Items.Count), More || more) { DecidedThrough = before.CompareTo(DecidedThrough) < 0 ? before : DecidedThrough };
    }

    /// <summary>None at all.</summary>
    public static EpochUpdates Empty { get; } = new([], 0, More: false);
}
