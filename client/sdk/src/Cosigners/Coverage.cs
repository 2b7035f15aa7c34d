using System.Collections.Immutable;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// Coverage says what auditors and witnesses of a policy vouch for, by what is kept of them (docs/spec/cosigners.md sections 3 and 4). Immutable.
/// </summary>
internal sealed class Coverage
{
    private readonly TrustPolicy _policy;
    private readonly ImmutableDictionary<string, CosignerState> _cosigners;

    public Coverage(TrustPolicy policy, ImmutableDictionary<string, CosignerState> cosigners)
    {
        _policy = policy;
        _cosigners = cosigners;
    }

    /// <summary>IsAudited tells whether enough auditors cover every step from one epoch to another: all of those that count cover all of them.</summary>
    public bool IsAudited(ulong from, ulong epoch) => _policy.Auditors is { } policy && policy.Auditors.Count(auditor => auditor.FirstEpoch <= from && SizeOf(auditor.Key) > epoch) >= policy.Required;

    /// <summary>IsWitnessed tells whether witnesses enough for the policy's quorum have cosigned a tree that holds the record of this epoch. Always so where there is no quorum.</summary>
    public bool IsWitnessed(ulong epoch) =>
        _policy.Witnesses is not { } witnesses || witnesses.IsMetBy(witnesses.Witnesses.Select(witness => witness.Key).Where(key => SizeOf(key) > epoch).ToHashSet());

    /// <summary>WitnessedEpoch is the largest one for which the quorum is met; null: there is none.</summary>
    public ulong? WitnessedEpoch() => _policy.Witnesses?.Witnesses.Select(witness => SizeOf(witness.Key)).Where(size => size > 0 && IsWitnessed(size - 1)).Select(size => (ulong?)size - 1).Max();

    /// <summary>
    /// MayLeaveOut tells whether proofs that were verified at an epoch need not be asked for again: there are enough auditors that cover it, and they are those up to whose last epoch enough auditors cover the log.
    /// Where no auditors are demanded nobody has to.
    /// </summary>
    public bool MayLeaveOut(ulong proven)
    {
        if (_policy.Auditors is not { } policy)
        {
            return true;
        }
        ulong enough = policy.Auditors.Select(auditor => SizeOf(auditor.Key)).OrderDescending().ElementAt(policy.Required - 1);
        return policy.Auditors.Count(auditor => auditor.FirstEpoch <= proven && SizeOf(auditor.Key) >= enough) >= policy.Required;
    }

    /// <summary>First epoch that enough auditors may ever cover; null: nobody has to.</summary>
    public ulong? First => _policy.Auditors is { } policy ? policy.Auditors.Select(auditor => auditor.FirstEpoch).Order().ElementAt(policy.Required - 1) : null;

    /// <summary>Overdue are the beliefs that are not covered and ought to be by now.</summary>
    public IReadOnlyList<Belief> Overdue(IEnumerable<Belief> beliefs, DateTimeOffset now) => _policy.Auditors is not { } policy
        ? []
        : [.. beliefs.Where(belief => now.ToUnixTimeMilliseconds() - belief.BelievedAtMs > policy.MaxLag.TotalMilliseconds && !IsAudited(belief.FromEpoch, belief.Epoch))];

    private ulong SizeOf(VerifierKey key) => _cosigners.GetValueOrDefault(key.ToString())?.Size ?? 0;
}
