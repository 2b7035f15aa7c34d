using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// The outcome that every verified call has. The call returns it after it has saved the state. The head is null unless the outcome is
/// valid.
/// </summary>
internal record Outcome(Reason Reason, HeadInfo? Head)
{
    /// <summary>The folder with the evidence of a fork, or of a tree that did not only grow.</summary>
    public string? EvidencePath { get; init; }

    /// <summary>Details that the reason does not say.</summary>
    public string? Detail { get; init; }
}

/// <summary>The outcome of an exchange. A valid outcome holds the new knowledge from the answer.</summary>
internal sealed record Outcome<T>(Reason Reason, HeadInfo? Head, T? Learnt) : Outcome(Reason, Head)
{
    /// <summary>
    /// Whether the log began another period during the exchange, and the state now has that period. The answer was not used, and the caller
    /// must ask again.
    /// </summary>
    public bool IsOvertaken { get; init; }

    /// <summary>
    /// A valid answer that withholds a value, so that another replica may show more; the state does not include this answer yet. Null if
    /// the answer shows every value.
    /// </summary>
    public byte[]? Partial { get; init; }

    /// <summary>The index of the key whose proof failed, in an answer about several keys.</summary>
    public int? FailedKey { get; init; }
}
