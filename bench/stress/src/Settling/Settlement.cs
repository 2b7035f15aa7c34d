using Optiks.Stress.Load;

namespace Optiks.Stress.Settling;

/// <summary>The outcome of a run's updates.</summary>
internal sealed record Settlement
{
    /// <summary>The accepted updates, including those that were found out afterwards.</summary>
    public required long Accepted { get; init; }

    /// <summary>The updates that were followed to their publication: all updates of a share of the keys.</summary>
    public required long Followed { get; init; }

    /// <summary>The number of followed updates that were published.</summary>
    public required long Published { get; init; }

    /// <summary>The updates whose outcome was unknown, which were sent again under their ids until there was an answer.</summary>
    public required long Uncertain { get; init; }

    /// <summary>The uncertain updates that still had no answer at the end. They count neither as accepted nor as lost.</summary>
    public required long Unsettled { get; init; }

    /// <summary>
    /// The lost updates: accepted, yet unknown, refused or unpublished at the end, not in their key's history, or not copied into the next
    /// period.
    /// </summary>
    public required long Lost { get; init; }

    /// <summary>The doubled updates: two share a version, or a version from the time of the run belongs to no update.</summary>
    public required long Doubled { get; init; }

    /// <summary>The updates of periods that the log no longer serves, so that no history exists for the comparison.</summary>
    public required long Unserved { get; init; }

    public required int UpdatedKeys { get; init; }

    /// <summary>The number of updated keys that were compared with their verified history.</summary>
    public required int CheckedKeys { get; init; }

    public required double Seconds { get; init; }

    /// <summary>
    /// The delay from acceptance until a replica first showed the epoch, in microseconds, for the followed updates without warm-up.
    /// </summary>
    public required Histogram Delay { get; init; }

    /// <summary>The first few complaints.</summary>
    public required IReadOnlyList<string> Complaints { get; init; }
}
