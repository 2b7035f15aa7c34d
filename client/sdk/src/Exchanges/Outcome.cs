using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Outcome of a verified exchange, already remembered.</summary>
internal sealed record Outcome<T>(Reason Reason, HeadInfo? Head, T? Learnt)
{
    /// <summary>Key at fault, of an answer for several.</summary>
    public int? FailedKey { get; init; }

    /// <summary>Folder with the evidence of a fork.</summary>
    public string? EvidencePath { get; init; }

    /// <summary>What the reason alone does not tell.</summary>
    public string? Detail { get; init; }

    /// <summary>Verdict of a refusal; valid ones have their own.</summary>
    public Verdict Verdict => Verdicts.Of(Reason);
}
