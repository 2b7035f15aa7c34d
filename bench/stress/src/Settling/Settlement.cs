using Optiks.Stress.Load;

namespace Optiks.Stress.Settling;

/// <summary>The outcome of all updates of a run.</summary>
internal sealed record Settlement
{
    /// <summary>The number of accepted updates, including updates whose acceptance became known only after the load.</summary>
    public required long Accepted { get; init; }

    /// <summary>The number of updates that were followed to their publication: all updates of a share of the keys.</summary>
    public required long Followed { get; init; }

    /// <summary>The number of followed updates that were published.</summary>
    public required long Published { get; init; }

    /// <summary>
    /// The number of updates whose outcome was unknown. They were sent again under their request ids until an answer came.
    /// </summary>
    public required long Uncertain { get; init; }

    /// <summary>The number of uncertain updates that still had no answer at the end. They count neither as accepted nor as lost.</summary>
    public required long Unsettled { get; init; }

    /// <summary>
    /// The number of lost updates. These were accepted, but at the end they were unknown, refused or unpublished, were missing in their
    /// key's history, or were not copied into the next period.
    /// </summary>
    public required long Lost { get; init; }

    /// <summary>
    /// The number of doubled updates: two updates share a version, or a version from the time of the run belongs to no update.
    /// </summary>
    public required long Doubled { get; init; }

    /// <summary>The number of updates in periods that the log no longer serves, so that no history exists for the comparison.</summary>
    public required long Unserved { get; init; }

    public required int UpdatedKeys { get; init; }

    /// <summary>The number of updated keys that were compared with their verified history.</summary>
    public required int CheckedKeys { get; init; }

    public required double Seconds { get; init; }

    /// <summary>
    /// The delays from acceptance until a replica first showed the epoch, in microseconds, of the followed updates after the warm-up.
    /// </summary>
    public required Histogram Delay { get; init; }

    /// <summary>Descriptions of the first lost or doubled updates.</summary>
    public required IReadOnlyList<string> Complaints { get; init; }
}
