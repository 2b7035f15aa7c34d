namespace Optiks.Tlog;

/// <summary>
/// Represents a named part of a policy: a witness, or a group with the number of members that must have cosigned. Immutable.
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
    /// Returns whether these cosigners are enough. A name is a member of at most one group, so the recursion walks a tree.
    /// </summary>
    public bool IsMet(IReadOnlySet<VerifierKey> cosigners) =>
        _witness is not null ? cosigners.Contains(_witness) : (ulong)_members.Count(member => member.IsMet(cosigners)) >= _threshold;
}
