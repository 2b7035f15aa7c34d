using System.Collections.Concurrent;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Stress.Traffic;

namespace Optiks.Stress.Settling;

/// <summary>
/// Follows the accepted updates to their publication after the load has ended. The settler sends requests that got no answer again under
/// the same request ids, and polls the status of each id until its update is published. Then it compares the versions of updated keys with
/// the keys' verified histories, period by period.
/// </summary>
internal sealed class Settler
{
    private const int Parallel = 32;
    private const int ServerWaitSeconds = 5;
    private const int MostComplaints = 20;
    private readonly TargetOptions _options;
    private readonly Target _target;
    private readonly Views _views;
    private readonly TimeProvider _time;
    private readonly HistoryReader _histories;
    private readonly ConcurrentQueue<string> _complaints = new();
    private readonly ConcurrentDictionary<string, ConcurrentBag<VersionCheck.Published>> _byKey = new(StringComparer.Ordinal);
    private readonly ConcurrentBag<PublicationDelay.Published> _delays = [];
    private long _started;
    private double _limit;
    private long _published;
    private long _lost;
    private long _doubled;
    private long _unserved;

    public Settler(TargetOptions options, Target target, Views views, TimeProvider time)
    {
        _options = options;
        _target = target;
        _views = views;
        _time = time;
        _histories = new HistoryReader(options, target, views, time);
    }

    private bool TimeIsUp => _time.GetElapsedTime(_started).TotalSeconds > _limit;

    /// <summary>Follows the updates of a run to their publication and returns their outcome.</summary>
    /// <param name="ledger">The ledger of the run; the load must not add to it any more.</param>
    /// <param name="lastBefore">The last epoch before the run.</param>
    /// <param name="measuredFrom">The timestamp from which on accepted updates count in the delays.</param>
    /// <param name="seconds">The time limit in seconds for everything except the comparison with histories.</param>
    /// <param name="share">The share of the updated keys, from 0 to 1, whose updates the settler follows.</param>
    /// <param name="checkKeys">The greatest number of keys to compare with their histories.</param>
    /// <param name="progress">The function that receives progress messages.</param>
    /// <param name="cancellationToken">Cancels the settlement.</param>
    public async Task<Settlement> SettleAsync(
        Ledger ledger, ulong lastBefore, long measuredFrom, double seconds, double share, int checkKeys, Action<string> progress,
        CancellationToken cancellationToken)
    {
        _started = _time.GetTimestamp();
        _limit = seconds;
        var parallel = new ParallelOptions { MaxDegreeOfParallelism = Parallel, CancellationToken = cancellationToken };
        long uncertain = ledger.Unknown.Sum(unanswered => unanswered.Items.Count);
        long unsettled = 0;
        await System.Threading.Tasks.Parallel.ForEachAsync(ledger.Unknown, parallel, async (unanswered, token) =>
        {
            if (!await AnswerAsync(unanswered, ledger, token))
            {
                Interlocked.Add(ref unsettled, unanswered.Items.Count);
            }
        });
        Ledger.AcceptedUpdate[] all = [.. ledger.Updates];
        Ledger.AcceptedUpdate[] followed = Choose(all, share);
        progress($"following {followed.Length} of {all.Length} accepted updates to their publication");
        if (followed.Length > 0)
        {
            // The settler waits for the last update first. Epochs publish updates in their order, so nearly all updates are published by
            // then, and the epochs were not slowed down by thousands of polls.
            await WaitAsync(followed[^1].Item, cancellationToken);
        }
        await System.Threading.Tasks.Parallel.ForEachAsync(
            followed, parallel, async (update, token) => await FollowAsync(update, measuredFrom, token));
        double waited = _time.GetElapsedTime(_started).TotalSeconds;
        string[] chosen = [.. _byKey.Keys.Order(StringComparer.Ordinal).Take(checkKeys)];
        progress($"comparing {chosen.Length} of {_byKey.Count} updated keys with their history");
        // If the outcome of some updates is still unknown, these updates may be in a history. Then a version that belongs to no known
        // update is not a fault.
        bool complete = unsettled == 0;
        await System.Threading.Tasks.Parallel.ForEachAsync(
            chosen, parallel, async (key, token) => await CompareAsync(key, lastBefore, complete, token));
        return new Settlement
        {
            Accepted = all.Length,
            Followed = followed.Length,
            Published = _published,
            Uncertain = uncertain,
            Unsettled = unsettled,
            Lost = _lost,
            Doubled = _doubled,
            Unserved = _unserved,
            UpdatedKeys = _byKey.Count,
            CheckedKeys = chosen.Length,
            Seconds = waited,
            Delay = PublicationDelay.Measure(_delays, _views.Epochs, _time),
            Complaints = [.. _complaints],
        };
    }

    private async Task<bool> AnswerAsync(Ledger.Unanswered unanswered, Ledger ledger, CancellationToken cancellationToken)
    {
        while (!TimeIsUp)
        {
            Reply reply = await _target.SendAsync(
                unanswered.Server, "/v1/updates", MediaTypes.Json, unanswered.Body, MediaTypes.Json, authorize: true, TimeSpan.Zero,
                cancellationToken);
            if (reply.Error is null)
            {
                ledger.Accepted(unanswered.Items, null);
                return true;
            }
            if (reply.Status is >= 400 and < 500 and not 429)
            {
                Complain(ref _lost, $"request {unanswered.Items[0].RequestId} was refused when sent again: {reply.Error}");
                return true;
            }
            await Task.Delay(TimeSpan.FromMilliseconds(200), _time, cancellationToken);
        }
        return false;
    }

    // Returns all updates of some keys, which are spread evenly over the sorted names of the keys. It returns all updates of a chosen key,
    // because a key can be compared with its history only if all of its updates are known.
    internal static Ledger.AcceptedUpdate[] Choose(Ledger.AcceptedUpdate[] updates, double share)
    {
        if (share >= 1)
        {
            return updates;
        }
        HashSet<string> keys = updates.Select(update => update.Item.Key).Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal)
            .Where((_, i) => Math.Floor((i + 1) * share) > Math.Floor(i * share)).ToHashSet(StringComparer.Ordinal);
        return [.. updates.Where(update => keys.Contains(update.Item.Key))];
    }

    private async Task FollowAsync(Ledger.AcceptedUpdate update, long measuredFrom, CancellationToken cancellationToken)
    {
        StatusText status = await WaitAsync(update.Item, cancellationToken);
        if (status.Published is not { } published)
        {
            Complain(ref _lost, $"accepted update {update.Item.RequestId} of {update.Item.Key} is not published: {status.Status}");
            return;
        }
        Interlocked.Increment(ref _published);
        _byKey.GetOrAdd(update.Item.Key, _ => []).Add(published);
        if (update.At is { } at && at >= measuredFrom)
        {
            _delays.Add(new PublicationDelay.Published(at, published.Epoch));
        }
    }

    // Waits for an update's final status and returns it. If the time limit passes first, returns the update's last status, or the reason
    // why there is no status.
    private async Task<StatusText> WaitAsync(UpdateItem item, CancellationToken cancellationToken)
    {
        while (true)
        {
            Reply reply = await _target.SendAsync(
                _options.UpdateUrls[0], $"/v1/updates/{item.RequestId:D}?wait={ServerWaitSeconds}", MediaTypes.Json, null, "",
                authorize: true,
                TimeSpan.FromSeconds(ServerWaitSeconds), cancellationToken);
            StatusText status = reply.Error is null ? StatusText.Parse(reply.Body) : new StatusText(reply.Error, null);
            if (status.Published is not null || status.Status is "refused" or "not-found" or "unusable-answer" || TimeIsUp)
            {
                return status;
            }
            if (reply.Error is not null)
            {
                await Task.Delay(TimeSpan.FromMilliseconds(200), _time, cancellationToken);
            }
        }
    }

    // Compares a key's updates with the key's history, period by period, from the period of the key's first update on. In each period the
    // versions begin again at version 1, which is a copy of the latest version in the previous period.
    private async Task CompareAsync(string key, ulong lastBefore, bool complete, CancellationToken cancellationToken)
    {
        ILookup<ulong, VersionCheck.Published> updates = _byKey[key].ToLookup(update => update.Period);
        ulong periodBefore = EpochRecord.ReadPeriod(_views.Record(lastBefore));
        long early = updates.Where(some => some.Key < periodBefore).Sum(some => some.Count());
        Complain(ref _lost, $"{key}: {early} updates are said to be of periods that had ended before them", early);
        EndState? before = null;
        for (ulong period = Math.Max(periodBefore, updates.Min(some => some.Key)); ; period++)
        {
            VersionCheck.Published[] some = [.. updates[period]];
            ulong mustShow = some.Select(update => update.Epoch).DefaultIfEmpty().Max();
            (KeyHistory? history, string? failure) = await _histories.ReadAsync(
                key, period, mustShow, before, () => _time.GetElapsedTime(_started).TotalSeconds > 2 * _limit, cancellationToken);
            if (failure is not null)
            {
                Complain(ref _lost, $"the history of {key} in period {period} {failure}",
                    Math.Max(1, updates.Where(left => left.Key >= period).Sum(left => left.Count())));
                return;
            }
            before = history?.End;
            if (history is null)
            {
                Interlocked.Add(ref _unserved, some.Length);
                continue;
            }
            (long lost, long doubled) = VersionCheck.Compare(some, history.Versions, complete ? lastBefore : ulong.MaxValue);
            Complain(ref _lost, $"{key}: {lost} of {some.Length} updates are not in its history of period {period}", lost);
            Complain(ref _doubled, $"{key}: {doubled} versions of period {period} are shared or nobody's", doubled);
            if (history.Handover is { } handover && handover != Reason.Valid)
            {
                Complain(ref _lost, $"{key}: period {period} does not begin with its last version of the period before: {handover.Name()}");
            }
            if (!history.IsOfEnded)
            {
                return;
            }
        }
    }

    private void Complain(ref long counter, string complaint, long count = 1)
    {
        if (count > 0)
        {
            Interlocked.Add(ref counter, count);
            if (_complaints.Count < MostComplaints)
            {
                _complaints.Enqueue(complaint);
            }
        }
    }
}
