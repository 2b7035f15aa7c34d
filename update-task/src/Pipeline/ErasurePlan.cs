using System.Collections.Frozen;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Rules;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Lists the values that the next epoch erases (docs/spec/erasure.md), and its decisions on the requests that ask for erasures.
/// </summary>
/// <param name="Erasures">The erasures for the epoch's transaction, in order of the requests.</param>
/// <param name="Leaves">The names of the erased leaves, in the same order; null for leaves of ended periods, whose trees the task does not
/// have.</param>
/// <param name="Decisions">For each request that this epoch decides, why it is refused; null if the epoch carries the erasure out.</param>
internal sealed record ErasurePlan(IReadOnlyList<Erasure> Erasures, IReadOnlyList<LeafName?> Leaves, IReadOnlyDictionary<Guid, Refusal?> Decisions)
{
    /// <summary>
    /// The device lists of users who are erased, and the keys of all devices on these lists. The next period must not contain any of these
    /// keys. The epoch erases the lists that name the devices.
    /// </summary>
    public IReadOnlyCollection<UpdateKey> Leaving { get; init; } = [];

    /// <summary>The requests whose erasures no longer fit in this epoch's share. The next epoch decides them.</summary>
    public IReadOnlySet<Guid> Waiting { get; init; } = FrozenSet<Guid>.Empty;

    /// <summary>
    /// The requests whose users must first be searched for in ended periods (<see cref="Periods.LeftUserSearch"/>): a later epoch decides
    /// these requests.
    /// </summary>
    public IReadOnlySet<Guid> Searched { get; init; } = FrozenSet<Guid>.Empty;

    /// <summary>The plan when no request asks for an erasure.</summary>
    public static ErasurePlan None { get; } = new([], [], new Dictionary<Guid, Refusal?>());

    /// <summary>Returns the part of the plan that belongs to these requests, if the epoch takes only them.</summary>
    public ErasurePlan Restrict(IReadOnlyList<PendingRequest> taken)
    {
        if (Decisions.Count == 0)
        {
            return this;
        }
        var ids = taken.Select(request => request.RequestId).ToHashSet();
        int[] kept = [.. Enumerable.Range(0, Erasures.Count).Where(i => ids.Contains(Erasures[i].Origin.RequestId))];
        return kept.Length == Erasures.Count ? this : this with { Erasures = [.. kept.Select(i => Erasures[i])], Leaves = [.. kept.Select(i => Leaves[i])] };
    }

    /// <summary>
    /// Writes the decisions on erasures into the decisions on all of an epoch's requests. Requests that ask for erasures get no leaves.
    /// </summary>
    public void Decide(IReadOnlyList<PendingRequest> pending, Decision[] decisions)
    {
        for (int i = 0; i < pending.Count && Decisions.Count > 0; i++)
        {
            if (Decisions.TryGetValue(pending[i].RequestId, out Refusal? refusal))
            {
                decisions[i] = refusal is null ? new Decision { Unchanged = new Refusal(RefusalReason.Unchanged, 0, default) } : new Decision { Refusal = refusal };
            }
        }
    }

    /// <summary>Erases the values from the task's own leaf log, if the log has them, before the directory commits the epoch.</summary>
    public void EraseFrom(KeyDirectory directory)
    {
        LeafName[] leaves = [.. Leaves.OfType<LeafName>()];
        if (leaves.Length == 0)
        {
            return;
        }
        byte[] labels = new byte[Lengths.Hash * leaves.Length];
        for (int i = 0; i < leaves.Length; i++)
        {
            leaves[i].Label.Span.CopyTo(labels.AsSpan(Lengths.Hash * i));
        }
        directory.Erase([.. leaves.Select(leaf => leaf.Structure)], labels);
    }
}
