using Optiks.Stress.Load;

namespace Optiks.Stress.Settling;

/// <summary>Holds the outcome of all updates of a run.</summary>
internal sealed record Settlement
{
    /// <summary>The number of accepted updates, including updates whose acceptance became known only after the load.</summary>
    public required long Accepted { get; init; }

    /// <summary>The number of updates that the program followed to their publication. They are all updates of a share of the
    /// keys.</summary>
    public required long Followed { get; init; }

    /// <summary>The number of followed updates that were published.</summary>
    public required long Published { get; init; }

    /// <summary>
    /// The number of updates whose outcome was unknown after the load. The program sent them again under their request ids until an answer
    /// came.
    /// </summary>
    public required long Uncertain { get; init; }

    /// <summary>The number of updates whose outcome is still unknown at the end. They count neither as accepted nor as lost.</summary>
    public required long Unsettled { get; init; }

    /// <summary>
    /// The number of lost updates, which are accepted updates with one of these faults: at the end the update-service did not know the
    /// update, had refused it or had not published it; the update is missing in its key's history; or it was not copied into the next
    /// period.
    /// </summary>
    public required long Lost { get; init; }

    /// <summary>
    /// The number of doubled updates. A doubled update shares its version with another update, or is a version from the time of the run
    /// that belongs to no update.
    /// </summary>
    public required long Doubled { get; init; }

    /// <summary>The number of updates in periods that the log no longer serves. They cannot be compared with a history.</summary>
    public required long Unserved { get; init; }

    public required int UpdatedKeys { get; init; }

    /// <summary>The number of updated keys whose updates were compared with the key's verified history.</summary>
    public required int CheckedKeys { get; init; }

    public required double Seconds { get; init; }

    /// <summary>
    /// The delays of the followed updates after the warm-up, in microseconds. A delay is the time from the update's acceptance until a
    /// replica first showed its epoch.
    /// </summary>
    public required Histogram Delay { get; init; }

    /// <summary>Descriptions of the first lost or doubled updates.</summary>
    public required IReadOnlyList<string> Complaints { get; init; }
}
