using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Outcome of a verified call, already remembered: what every answer reports. The head is null unless it is valid.</summary>
internal record Outcome(Reason Reason, HeadInfo? Head)
{
    /// <summary>Folder with the evidence of a fork, or of a tree that did not only grow.</summary>
    public string? EvidencePath { get; init; }

    /// <summary>What the reason alone does not tell.</summary>
    public string? Detail { get; init; }
}

/// <summary>Outcome of an exchange, with what it taught when it is valid.</summary>
internal sealed record Outcome<T>(Reason Reason, HeadInfo? Head, T? Learnt) : Outcome(Reason, Head)
{
    /// <summary>The log began another period, which is kept by now: nothing was learnt, and the question is to be asked anew.</summary>
    public bool IsOvertaken { get; init; }

    /// <summary>Partial answer, which is valid and shows less than it could: nothing of it is remembered yet. Null: it is not.</summary>
    public byte[]? Partial { get; init; }

    /// <summary>Key at fault, of an answer for several.</summary>
    public int? FailedKey { get; init; }
}
