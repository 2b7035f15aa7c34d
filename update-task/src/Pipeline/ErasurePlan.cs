using System.Collections.Frozen;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Rules;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>ErasurePlan is what the next epoch erases (docs/spec/erasure.md), and how it decides the requests that ask for it.</summary>
/// <param name="Erasures">For the epoch's transaction, in order of the requests.</param>
/// <param name="Leaves">Their leaves' names, in the same order; null for those of ended periods, whose trees the task does not have.</param>
/// <param name="Decisions">Of each request that asks for an erasure: why it is refused, or <see cref="RefusalReason.Unchanged"/>.</param>
internal sealed record ErasurePlan(IReadOnlyList<Erasure> Erasures, IReadOnlyList<LeafName?> Leaves, IReadOnlyDictionary<Guid, Refusal> Decisions)
{
    /// <summary>Leaving are the lists of users who are erased, and the keys of all devices on them: the next period has none of them. What names them is gone with the epoch.</summary>
    public IReadOnlyCollection<UpdateKey> Leaving { get; init; } = [];

    /// <summary>Waiting are requests that ask for more than the epoch's share of erasures: the next epoch decides them.</summary>
    public IReadOnlySet<Guid> Waiting { get; init; } = FrozenSet<Guid>.Empty;

    /// <summary>Searched are requests whose users are looked for in ended periods first (<see cref="Periods.LeftUserSearch"/>): a later epoch decides them.</summary>
    public IReadOnlySet<Guid> Searched { get; init; } = FrozenSet<Guid>.Empty;

    /// <summary>None: no request asks for any.</summary>
    public static ErasurePlan None { get; } = new([], [], new Dictionary<Guid, Refusal>());

    /// <summary>Of gives what is left of it when the epoch takes these requests alone.</summary>
    public ErasurePlan Of(IReadOnlyList<PendingRequest> taken)
    {
        if (Decisions.Count == 0)
        {
            return this;
        }
        var ids = taken.Select(request => request.RequestId).ToHashSet();
        int[] kept = [.. Enumerable.Range(0, Erasures.Count).Where(i => ids.Contains(Erasures[i].Origin.RequestId))];
        return kept.Length == Erasures.Count ? this : this with { Erasures = [.. kept.Select(i => Erasures[i])], Leaves = [.. kept.Select(i => Leaves[i])] };
    }

    /// <summary>Decide enters the decisions among those of an epoch's requests: none of these requests has a leaf.</summary>
    public void Decide(IReadOnlyList<PendingRequest> pending, Decision[] decisions)
    {
        for (int i = 0; i < pending.Count && Decisions.Count > 0; i++)
        {
            if (Decisions.TryGetValue(pending[i].RequestId, out Refusal? outcome))
            {
                decisions[i] = outcome.Reason == RefusalReason.Unchanged ? new Decision { Unchanged = outcome } : new Decision { Refusal = outcome };
            }
        }
    }

    /// <summary>EraseFrom takes what is erased out of the task's own leaf log, as far as it keeps values, before the epoch is its last.</summary>
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
