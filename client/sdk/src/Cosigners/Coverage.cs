using System.Collections.Immutable;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// Tells for which epochs auditors and witnesses of a policy vouch, according to their newest checkpoints in the client's state
/// (docs/spec/cosigners.md sections 3 and 4). Immutable.
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

    /// <summary>
    /// Tells whether enough auditors cover every step from one epoch to another. An auditor counts only if it covers all of these steps.
    /// </summary>
    public bool IsAudited(ulong from, ulong epoch) => _policy.Auditors is { } policy
        && policy.Auditors.Count(auditor => auditor.FirstEpoch <= from && SizeOf(auditor.Key) > epoch) >= policy.Required;

    /// <summary>
    /// Tells whether enough witnesses for the policy's quorum have cosigned a tree that holds the record of this epoch. Always true if the
    /// policy has no quorum.
    /// </summary>
    public bool IsWitnessed(ulong epoch) =>
        _policy.Witnesses is not { } witnesses
            || witnesses.IsMetBy(witnesses.Witnesses.Select(witness => witness.Key).Where(key => SizeOf(key) > epoch).ToHashSet());

    /// <summary>Returns the largest epoch for which the quorum of witnesses is met; null if there is no such epoch.</summary>
    public ulong? WitnessedEpoch() =>
        _policy.Witnesses?.Witnesses.Select(witness => SizeOf(witness.Key)).Where(size => size > 0 && IsWitnessed(size - 1))
            .Select(size => (ulong?)size - 1).Max();

    /// <summary>
    /// Tells whether answers may leave out proofs that the client has already verified at an earlier epoch. The result is true if the
    /// coverage of enough auditors contains all epochs from that epoch to the last epoch that enough auditors cover. Always true when the
    /// policy demands no auditors.
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

    /// <summary>
    /// The first epoch at which, according to the policy, the coverage of enough auditors has begun; null when the policy demands no
    /// auditors.
    /// </summary>
    public ulong? First => _policy.Auditors is { } policy
        ? policy.Auditors.Select(auditor => auditor.FirstEpoch).Order().ElementAt(policy.Required - 1)
        : null;

    /// <summary>
    /// Returns the overdue answers. An answer that the client believed is overdue if too few auditors have covered it although the policy's
    /// time for this has passed.
    /// </summary>
    public IReadOnlyList<Belief> Overdue(IEnumerable<Belief> beliefs, DateTimeOffset now) => _policy.Auditors is not { } policy
        ? []
        : [.. beliefs.Where(belief => now.ToUnixTimeMilliseconds() - belief.BelievedAtMs > policy.MaxLag.TotalMilliseconds
            && !IsAudited(belief.FromEpoch, belief.Epoch))];

    private ulong SizeOf(VerifierKey key) => _cosigners.GetValueOrDefault(key.ToString())?.Size ?? 0;
}
