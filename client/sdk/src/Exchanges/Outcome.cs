using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// The outcome of a verified call. The call returns the outcome after it has saved the new state. The head is null unless the outcome is
/// valid.
/// </summary>
internal record Outcome(Reason Reason, HeadInfo? Head)
{
    /// <summary>The folder with the evidence that the log forked, or that one of its trees changed in another way than by adding
    /// leaves.</summary>
    public string? EvidencePath { get; init; }

    /// <summary>Details for people that the reason does not give.</summary>
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
    /// A valid answer that does not show every value. It is not part of the state yet, because another replica may show the missing values.
    /// Null if the answer shows every value.
    /// </summary>
    public byte[]? Partial { get; init; }

    /// <summary>The index of the key whose proof failed, in an answer about several keys.</summary>
    public int? FailedKey { get; init; }
}
