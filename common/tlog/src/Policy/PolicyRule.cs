namespace Optiks.Tlog;

/// <summary>
/// Represents a named part of a policy, which is a witness or a group. For a group, the rule says how many of its members must have
/// cosigned. Immutable.
/// </summary>
internal sealed class PolicyRule
{
    private readonly VerifierKey? _witness;
    private readonly IReadOnlyList<PolicyRule> _members;
    private readonly ulong _threshold;

    public PolicyRule(VerifierKey witness)
    {
        _witness = witness;
        _members = [];
    }

    public PolicyRule(IReadOnlyList<PolicyRule> members, ulong threshold)
    {
        _members = members;
        _threshold = threshold;
    }

    /// <summary>
    /// Returns whether cosignatures by these keys meet the rule. The recursion ends, because a name is a member of at most one group.
    /// </summary>
    public bool IsMet(IReadOnlySet<VerifierKey> cosigners) =>
        _witness is not null ? cosigners.Contains(_witness) : (ulong)_members.Count(member => member.IsMet(cosigners)) >= _threshold;
}
