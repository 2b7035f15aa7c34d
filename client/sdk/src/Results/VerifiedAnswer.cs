using System.Text;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// The common part of the results of all verified calls. A failed proof is reported as a verdict, never as an exception. Only this library
/// creates instances.
/// </summary>
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

    /// <summary>The verdict on the answer, which follows from the reason.</summary>
    public virtual Verdict Verdict => Reason switch
    {
        Reason.Valid => Verdict.Valid,
        Reason.Stale => Verdict.Stale,
        Reason.Fork or Reason.LeafContradicts => Verdict.Fork,
        _ when Reason.IsMalformed() => Verdict.Malformed,
        _ => Verdict.Invalid,
    };

    /// <summary>The reason of the verdict: valid, or the first check that failed.</summary>
    public Reason Reason { get; }

    /// <summary>
    /// The head against which the answer was verified; null if no request was made. For a refused answer this property throws
    /// <see cref="InvalidOperationException"/>, because a caller that reads the epoch or time of a refused answer has not checked the
    /// verdict.
    /// </summary>
    public HeadInfo? Head => IsValid
        ? _head
        : throw new InvalidOperationException($"The answer is refused ({Reason.Name()}): it has no head. Look at IsValid first.");

    /// <summary>The folder of evidence, with both views of a fork or both statements about a leaf; null if there is no evidence.</summary>
    public string? EvidencePath { get; }

    /// <summary>Details about what failed, for people, if the reason alone does not say enough; null if there are no details.</summary>
    public string? Detail { get; }

    /// <summary>Whether every check passed.</summary>
    public bool IsValid => Reason == Reason.Valid;

    /// <summary>Prints the verdict with its reason and head, even for a refused answer.</summary>
    protected virtual bool PrintMembers(StringBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Append(System.Globalization.CultureInfo.InvariantCulture,
            $"Verdict = {Verdict}, Reason = {Reason}, Head = {_head}, EvidencePath = {EvidencePath}, Detail = {Detail}");
        return true;
    }
}
