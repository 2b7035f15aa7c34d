using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>VerifiedAnswer is what every verified call reports. A proof that fails is a verdict, never an exception. Only this library makes one.</summary>
public abstract record VerifiedAnswer
{
    private protected VerifiedAnswer(Outcome outcome)
    {
        Reason = outcome.Reason;
        Head = outcome.Head;
        EvidencePath = outcome.EvidencePath;
        Detail = outcome.Detail;
    }

    /// <summary>Verdict on the answer, which follows from the reason.</summary>
    public virtual Verdict Verdict => Reason switch
    {
        Reason.Valid => Verdict.Valid,
        Reason.Stale => Verdict.Stale,
        Reason.Fork or Reason.LeafContradicts => Verdict.Fork,
        _ when Reason.IsMalformed() => Verdict.Malformed,
        _ => Verdict.Invalid,
    };

    /// <summary>Reason of the verdict: valid, or the first check that failed.</summary>
    public Reason Reason { get; }

    /// <summary>Head that the answer was verified against; null unless valid.</summary>
    public HeadInfo? Head { get; }

    /// <summary>EvidencePath is the folder with both views of a fork, or both statements about a leaf; null otherwise.</summary>
    public string? EvidencePath { get; }

    /// <summary>Detail about what failed, for people, where the reason alone does not tell; null otherwise.</summary>
    public string? Detail { get; }

    /// <summary>IsValid says whether every check passed.</summary>
    public bool IsValid => Reason == Reason.Valid;
}
