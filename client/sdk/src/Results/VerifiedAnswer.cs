using System.Text;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>VerifiedAnswer is what every verified call reports. A proof that fails is a verdict, never an exception. Only this library makes one.</summary>
public abstract record VerifiedAnswer
{
    private readonly HeadInfo? _head;

    private protected VerifiedAnswer(Outcome outcome)
    {
        Reason = outcome.Reason;
        _head = outcome.Head;
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

    /// <summary>
    /// Head that the answer was verified against; null if nothing was asked. Throws <see cref="InvalidOperationException"/> for a refused answer: whoever takes an epoch or a time from one has not looked at its verdict.
    /// </summary>
    public HeadInfo? Head => IsValid ? _head : throw new InvalidOperationException($"The answer is refused ({Reason.Name()}): it has no head. Look at IsValid first.");

    /// <summary>EvidencePath is the folder with both views of a fork, or both statements about a leaf; null otherwise.</summary>
    public string? EvidencePath { get; }

    /// <summary>Detail about what failed, for people, where the reason alone does not tell; null otherwise.</summary>
    public string? Detail { get; }

    /// <summary>IsValid says whether every check passed.</summary>
    public bool IsValid => Reason == Reason.Valid;

    /// <summary>Prints the verdict and what it rests on, also of a refused answer.</summary>
    protected virtual bool PrintMembers(StringBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Append(System.Globalization.CultureInfo.InvariantCulture, $"Verdict = {Verdict}, Reason = {Reason}, Head = {_head}, EvidencePath = {EvidencePath}, Detail = {Detail}");
        return true;
    }
}
