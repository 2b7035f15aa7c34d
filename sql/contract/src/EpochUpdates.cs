namespace Optiks.Storage;

/// <summary>EpochUpdates are what one epoch may take.</summary>
/// <param name="Requests">In order of acceptance; no key twice.</param>
/// <param name="Items">Number of their items.</param>
/// <param name="More">Whether a limit ended them: the next epoch has work already.</param>
public sealed record EpochUpdates(IReadOnlyList<PendingRequest> Requests, int Items, bool More)
{
    /// <summary>
    /// DecidedThrough is a row up to which nothing is pending once these are decided. Rows that were decided leave dead entries in an index: whoever begins there does not pass them.
    /// </summary>
    public (long Sequence, int Item) DecidedThrough { get; init; }

    /// <summary>None at all.</summary>
    public static EpochUpdates Empty { get; } = new([], 0, More: false);
}
