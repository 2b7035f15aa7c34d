using Optiks.Stress.Load;

namespace Optiks.Stress.Settling;

/// <summary>Settlement is what became of the updates of a run.</summary>
internal sealed record Settlement
{
    /// <summary>Accepted updates, those included that were found out afterwards.</summary>
    public required long Accepted { get; init; }

    /// <summary>Followed updates to their publication: all those of a share of the keys.</summary>
    public required long Followed { get; init; }

    /// <summary>Published of the followed.</summary>
    public required long Published { get; init; }

    /// <summary>Uncertain updates, sent again under their ids until there was an answer.</summary>
    public required long Uncertain { get; init; }

    /// <summary>Unsettled of those: there was still no answer at the end. They count neither as accepted nor as lost.</summary>
    public required long Unsettled { get; init; }

    /// <summary>Lost updates: accepted, yet unknown, refused or unpublished at the end, not in their key's history, or not what the next period began with.</summary>
    public required long Lost { get; init; }

    /// <summary>Doubled updates: two share a version, or a version of the time of the run is nobody's.</summary>
    public required long Doubled { get; init; }

    /// <summary>Unserved updates: of periods that the log serves no more, so that there is no history to compare them with.</summary>
    public required long Unserved { get; init; }

    public required int UpdatedKeys { get; init; }

    /// <summary>CheckedKeys of these were compared with their verified history.</summary>
    public required int CheckedKeys { get; init; }

    public required double Seconds { get; init; }

    /// <summary>Delay from acceptance to the moment when a replica first showed the epoch, in microseconds; of the followed, without warm-up.</summary>
    public required Histogram Delay { get; init; }

    /// <summary>Complaints, the first few.</summary>
    public required IReadOnlyList<string> Complaints { get; init; }
}
