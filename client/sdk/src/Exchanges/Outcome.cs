using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Outcome of a verified exchange, already remembered.</summary>
internal sealed record Outcome<T>(Reason Reason, HeadInfo? Head, T? Learnt, int? FailedKey, string? EvidencePath)
{
    /// <summary>Verdict of a refusal; valid ones have their own.</summary>
    public Verdict Verdict => Verdicts.Of(Reason);
}
