using Optiks.Storage;

namespace Optiks.Db.Fsck;

/// <summary>Checks that every request is either pending as a whole, or decided as a whole by one epoch. Also checks that the leaves of its
/// outcomes exist.</summary>
internal static class RequestCheck
{
    private const int Page = 4096;

    /// <summary>Reads the pending items, and returns their origins. No leaf may have one of these origins yet.</summary>
    public static async Task<HashSet<LeafOrigin>> PendingAsync(ConsistentRead read, CancellationToken cancellationToken)
    {
        var pending = new HashSet<LeafOrigin>();
        await foreach ((IReadOnlyList<StoredRequest> requests, long after, long through) in PagesAsync(read, cancellationToken))
        {
            var ids = requests.ToDictionary(request => request.Sequence, request => request.RequestId);
            foreach (StoredPending row in await read.ReadPendingAsync(after, through, cancellationToken))
            {
                if (ids.TryGetValue(row.Sequence, out Guid id))
                {
                    pending.Add(new LeafOrigin(id, row.Item));
                }
            }
        }
        return pending;
    }

    /// <summary>Checks all requests, pending rows and outcomes.</summary>
    public static async Task RunAsync(ConsistentRead read, ulong? headEpoch, FsckReport report, CancellationToken cancellationToken)
    {
        await foreach ((IReadOnlyList<StoredRequest> requests, long after, long through) in PagesAsync(read, cancellationToken))
        {
            ILookup<long, StoredPending> pending =
                (await read.ReadPendingAsync(after, through, cancellationToken)).ToLookup(row => row.Sequence);
            ILookup<long, StoredOutcome> outcomes =
                (await read.ReadOutcomesAsync(after, through, cancellationToken)).ToLookup(row => row.Sequence);
            foreach (StoredRequest request in requests)
            {
                Check(request, [.. pending[request.Sequence]], [.. outcomes[request.Sequence]], headEpoch, report);
            }
            var known = requests.Select(request => request.Sequence).ToHashSet();
            foreach (long sequence in pending.Concat<IGrouping<long, object>>(outcomes).Select(group => group.Key).Distinct()
                .Where(sequence => !known.Contains(sequence)))
            {
                report.Found($"There are pending rows or outcomes of number {sequence}, which is not a request.");
            }
            report.Requests += requests.Count;
            report.Pending += pending.Sum(group => group.Count());
        }
    }

    private static void Check(StoredRequest request, StoredPending[] pending, StoredOutcome[] outcomes, ulong? headEpoch, FsckReport report)
    {
        string name = FormattableString.Invariant($"Request {request.RequestId}");
        if (!RequestIds.IsVersion7(request.RequestId))
        {
            report.Found($"{name} has an id that is not a UUIDv7.");
        }
        if (pending.Length > 0 && outcomes.Length > 0)
        {
            report.Found($"{name} is pending although epoch {outcomes[0].Epoch} decided it.");
            return;
        }
        if (pending.Length + outcomes.Length == 0)
        {
            report.Found($"{name} is neither pending nor decided.");
            return;
        }
        IEnumerable<int> items = pending.Select(row => row.Item).Concat(outcomes.Select(row => row.Item));
        if (!items.SequenceEqual(Enumerable.Range(0, pending.Length + outcomes.Length)))
        {
            report.Found($"{name} does not have all of its items.");
        }
        foreach (StoredOutcome outcome in outcomes)
        {
            CheckOutcome(request, name, outcome, headEpoch, report);
        }
        if (outcomes.Select(outcome => outcome.Epoch).Distinct().Count() > 1 || !IsDecidedAlike(outcomes))
        {
            report.Found($"{name} was not decided as a whole.");
        }
    }

    // Returns whether all items of a request have the same fate: either all were published, apart from a device list that does not change,
    // or all were refused for the same reason. An erasure has only one item, which has no leaf.
    private static bool IsDecidedAlike(StoredOutcome[] outcomes)
    {
        // CheckOutcome reports rows whose columns contradict each other, so they are left out here.
        ItemResult[] results = [.. outcomes.Select(outcome => outcome.Result.ToResult()).OfType<ItemResult>()];
        bool hasResultWithoutLeaf = results is [ItemResult.Unchanged or ItemResult.Erased, ..] && outcomes[0].Item == UserChange.ItemIndex;
        IEnumerable<ItemResult> others = hasResultWithoutLeaf ? results.Skip(1) : results;
        return others.All(result => result is ItemResult.Leaf)
            || (results[0] is ItemResult.Refused && results.Distinct().Count() == 1);
    }

    private static void CheckOutcome(StoredRequest request, string name, StoredOutcome outcome, ulong? headEpoch, FsckReport report)
    {
        if (headEpoch is null || outcome.Epoch > headEpoch)
        {
            report.Found($"{name} was decided by epoch {outcome.Epoch}, which is beyond the head.");
        }
        else if (outcome.Result.ToResult() is null)
        {
            report.Found($"{name} was neither published nor refused by epoch {outcome.Epoch}, or both.");
        }
        else if (outcome.Result.Ordinal is int ordinal && outcome.Leaf != new LeafOrigin(request.RequestId, outcome.Item))
        {
            report.Found(
                $"Item {outcome.Item} of request {request.RequestId} names leaf {ordinal} of epoch {outcome.Epoch}, which {(outcome.Leaf is null ? "is not there" : "is another update's")}.");
        }
    }

    // The last page has no upper bound, so that it includes pending rows and outcomes whose sequence numbers are above the last request's.
    private static async IAsyncEnumerable<(IReadOnlyList<StoredRequest> Requests, long After, long Through)> PagesAsync(
        ConsistentRead read, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken)
    {
        long after = long.MinValue;
        while (true)
        {
            IReadOnlyList<StoredRequest> requests = await read.ReadRequestsAsync(after, Page, cancellationToken);
            bool isLast = requests.Count < Page;
            long through = isLast ? long.MaxValue : requests[^1].Sequence;
            yield return (requests, after, through);
            if (isLast)
            {
                yield break;
            }
            after = through;
        }
    }
}
