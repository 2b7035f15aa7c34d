using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>The report of every verified call, made after the state was saved. The head is null unless the outcome is valid.</summary>
internal record Outcome(Reason Reason, HeadInfo? Head)
{
    /// <summary>The folder with the evidence of a fork, or of a tree that did not only grow.</summary>
    public string? EvidencePath { get; init; }

    /// <summary>Details that the reason does not tell.</summary>
    public string? Detail { get; init; }
}

/// <summary>Outcome of an exchange, with the new knowledge when it is valid.</summary>
internal sealed record Outcome<T>(Reason Reason, HeadInfo? Head, T? Learnt) : Outcome(Reason, Head)
{
    /// <summary>
    /// Whether the log began another period, which the state knows by now. The exchange taught nothing, and the caller must ask again.
    /// </summary>
    public bool IsOvertaken { get; init; }

    /// <summary>
    /// A partial answer, which is valid and shows less than it could; the state does not include it yet. Null if the answer is not partial.
    /// </summary>
    public byte[]? Partial { get; init; }

    /// <summary>The index of the key at fault, in an answer about several keys.</summary>
    public int? FailedKey { get; init; }
}
