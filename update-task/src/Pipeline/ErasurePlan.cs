using System.Collections.Frozen;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Rules;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Lists the values that the next epoch erases (docs/spec/erasure.md), and the epoch's decisions on the requests that ask for erasures.
/// </summary>
/// <param name="Erasures">The erasures that the epoch's transaction carries out, in order of their requests.</param>
/// <param name="Leaves">The names of the erased leaves, in the order of the erasures; null for a leaf of an ended period, whose trees the
/// task does not have.</param>
/// <param name="Decisions">The refusal of each request that this epoch decides, by request id; null if the epoch carries the request's
/// erasure out.</param>
internal sealed record ErasurePlan(
    IReadOnlyList<Erasure> Erasures, IReadOnlyList<LeafName?> Leaves, IReadOnlyDictionary<Guid, Refusal?> Decisions)
{
    /// <summary>
    /// The keys that the next period must not contain. For each erased user, these are the key of the device list and the keys of all
    /// devices on the user's lists. The task must remove these keys from the next period before the epoch commits, because the epoch erases
    /// the lists that name the devices.
    /// </summary>
    public IReadOnlyCollection<UpdateKey> Leaving { get; init; } = [];

    /// <summary>
    /// The ids of requests whose erasures no longer fit in the number of values that one epoch may erase. These requests wait for the next
    /// epoch.
    /// </summary>
    public IReadOnlySet<Guid> Waiting { get; init; } = FrozenSet<Guid>.Empty;

    /// <summary>
    /// The ids of requests whose users' values must first be searched for in ended periods (the class
    /// <see cref="Periods.LeftUserSearch"/>). A later epoch decides these requests.
    /// </summary>
    public IReadOnlySet<Guid> Searched { get; init; } = FrozenSet<Guid>.Empty;

    /// <summary>The plan when no request asks for an erasure.</summary>
    public static ErasurePlan None { get; } = new([], [], new Dictionary<Guid, Refusal?>());

    /// <summary>Returns the part of the plan that belongs to the given requests, for an epoch that takes only these requests.</summary>
    public ErasurePlan Restrict(IReadOnlyList<PendingRequest> taken)
    {
        if (Decisions.Count == 0)
        {
            return this;
        }
        var ids = taken.Select(request => request.RequestId).ToHashSet();
        int[] kept = [.. Enumerable.Range(0, Erasures.Count).Where(i => ids.Contains(Erasures[i].Origin.RequestId))];
        return kept.Length == Erasures.Count
            ? this
            : this with { Erasures = [.. kept.Select(i => Erasures[i])], Leaves = [.. kept.Select(i => Leaves[i])] };
    }

    /// <summary>
    /// Writes this plan's decisions into the array of decisions on all requests of the epoch. Requests that ask for erasures get no leaves.
    /// </summary>
    public void Decide(IReadOnlyList<PendingRequest> pending, Decision[] decisions)
    {
        for (int i = 0; i < pending.Count && Decisions.Count > 0; i++)
        {
            if (Decisions.TryGetValue(pending[i].RequestId, out Refusal? refusal))
            {
                decisions[i] = refusal is null
                    ? new Decision { WithoutLeaf = new ItemResult.Erased() }
                    : new Decision { Refusal = refusal };
            }
        }
    }

    /// <summary>
    /// Erases the plan's values from the task's leaf log, which keeps only device lists. The caller must do this before the directory
    /// commits the epoch.
    /// </summary>
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
