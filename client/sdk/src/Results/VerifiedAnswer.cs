using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>VerifiedAnswer is what every verified call reports. A proof that fails is a verdict, never an exception.</summary>
public abstract record VerifiedAnswer
{
    /// <summary>Verdict on the answer.</summary>
    public required Verdict Verdict { get; init; }

    /// <summary>Reason of the verdict: valid, or the first check that failed.</summary>
    public required Reason Reason { get; init; }

    /// <summary>Head that the answer was verified against; null unless valid.</summary>
    public HeadInfo? Head { get; init; }

    /// <summary>EvidencePath is the folder with both views of a fork; null otherwise.</summary>
    public string? EvidencePath { get; init; }

    /// <summary>Detail about what failed, for people, where the reason alone does not tell; null otherwise.</summary>
    public string? Detail { get; init; }

    /// <summary>IsValid says whether every check passed.</summary>
    public bool IsValid => Reason == Reason.Valid;
}
