using System.Collections.Concurrent;
using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Stress.Traffic;

namespace Optiks.Stress.Settling;

/// <summary>
/// Settler follows every accepted update to its publication, after the load has ended: requests without an answer are sent again under their ids,
/// each id is asked for until it is published, and the versions of each updated key are compared with its verified history.
/// </summary>
internal sealed class Settler
{
    private const int Parallel = 32;
    private const int ServerWaitSeconds = 5;
    private const int MostComplaints = 20;
    private const int MostPages = 10_000;
    private readonly TargetOptions _options;
    private readonly Target _target;
    private readonly Views _views;
    private readonly TimeProvider _time;
    private readonly ConcurrentQueue<string> _complaints = new();
    private readonly ConcurrentDictionary<string, ConcurrentBag<VersionCheck.Published>> _byKey = new(StringComparer.Ordinal);
    private readonly ConcurrentBag<PublicationDelay.Published> _delays = [];
    private long _started;
    private double _limit;
    private long _published;
    private long _lost;
    private long _doubled;

    public Settler(TargetOptions options, Target target, Views views, TimeProvider time)
    {
        _options = options;
        _target = target;
        _views = views;
        _time = time;
    }

    private bool TimeIsUp => _time.GetElapsedTime(_started).TotalSeconds > _limit;

    /// <summary>SettleAsync the ledger of a run.</summary>
    /// <param name="ledger">No longer added to.</param>
    /// <param name="lastBefore">Last epoch before the run.</param>
    /// <param name="measuredFrom">Timestamp from which on acceptances count for the delay.</param>
    /// <param name="seconds">Bound for all of it, the comparison with histories apart.</param>
    /// <param name="share">Of the updated keys, all of whose updates are followed.</param>
    /// <param name="checkKeys">Keys to compare with their history, at most.</param>
    /// <param name="progress">Is told what goes on.</param>
    /// <param name="cancellationToken">Ends the waiting.</param>
    public async Task<Settlement> SettleAsync(
        Ledger ledger, ulong lastBefore, long measuredFrom, double seconds, double share, int checkKeys, Action<string> progress, CancellationToken cancellationToken)
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
            // Epochs take updates in their order: with the last one nearly all are published, and asking for thousands has not slowed the epochs down.
            await WaitAsync(followed[^1].Item, cancellationToken);
        }
        await System.Threading.Tasks.Parallel.ForEachAsync(followed, parallel, async (update, token) => await FollowAsync(update, measuredFrom, token));
        double waited = _time.GetElapsedTime(_started).TotalSeconds;
        string[] chosen = [.. _byKey.Keys.Order(StringComparer.Ordinal).Take(checkKeys)];
        progress($"comparing {chosen.Length} of {_byKey.Count} updated keys with their history");
        // Updates without an answer may or may not stand in a history: then an unclaimed version proves nothing.
        bool complete = unsettled == 0;
        await System.Threading.Tasks.Parallel.ForEachAsync(chosen, parallel, async (key, token) => await CompareAsync(key, lastBefore, complete, token));
        return new Settlement
        {
            Accepted = all.Length,
            Followed = followed.Length,
            Published = _published,
            Uncertain = uncertain,
            Unsettled = unsettled,
            Lost = _lost,
            Doubled = _doubled,
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
                unanswered.Server, "/v1/updates", MediaTypes.Json, unanswered.Body, MediaTypes.Json, authorize: true, TimeSpan.Zero, cancellationToken);
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

    // Whole keys, evenly over their sorted names: a key is compared with its history only when all of its updates are known.
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

    // The status that an update has in the end; when the time is up, its last one or why there was none.
    private async Task<StatusText> WaitAsync(UpdateItem item, CancellationToken cancellationToken)
    {
        while (true)
        {
            Reply reply = await _target.SendAsync(
                _options.UpdateUrls[0], $"/v1/updates/{item.RequestId:D}?wait={ServerWaitSeconds}", MediaTypes.Json, null, "", authorize: true,
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

    private async Task CompareAsync(string key, ulong lastBefore, bool complete, CancellationToken cancellationToken)
    {
        VersionCheck.Published[] updates = [.. _byKey[key]];
        ulong mustShow = updates.Max(update => update.Epoch);
        var history = new List<VersionCheck.HistoryVersion>();
        byte[] name = Encoding.UTF8.GetBytes(key);
        using var keys = new ByteStrings(1);
        keys.Add(name);
        KnownKey known = default;
        string last = "";
        // A replica may be an epoch behind the publication, and a long history comes in pages.
        for (int attempt = 0; attempt < MostPages; attempt++)
        {
            Reply reply = await _target.SendAsync(
                _options.QueryUrls[0], "/v1/history", MediaTypes.History, QueryList.Encode([new Query(name, 0, known.Version + 1)]), MediaTypes.Query,
                authorize: true, TimeSpan.Zero, cancellationToken);
            if (reply.Error is null)
            {
                VersionsVerdict verdict = Verifier.Versions(_views.Context(null), keys, [known], reply.Body);
                if (verdict.Reason != Reason.Valid)
                {
                    Complain(ref _lost, $"the history of {key} does not verify: {verdict.Reason.Name()}");
                    return;
                }
                if (verdict.Head!.Epoch >= mustShow)
                {
                    VerifiedVersions page = verdict.Keys[0];
                    history.AddRange(page.Members.Select(member => new VersionCheck.HistoryVersion(member.Version, member.LeafEpoch)));
                    if (page.Complete)
                    {
                        (long lost, long doubled) = VersionCheck.Compare(updates, history, complete ? lastBefore : ulong.MaxValue);
                        Complain(ref _lost, $"{key}: {lost} of {updates.Length} updates are not in its history", lost);
                        Complain(ref _doubled, $"{key}: {doubled} versions are shared or nobody's", doubled);
                        return;
                    }
                    VerifiedVersion end = page.Members[^1];
                    known = new KnownKey(verdict.Head.Epoch, verdict.Head.Period, end.Version, end.Time, null, page.Version);
                    continue;
                }
                last = $"the replica shows epoch {verdict.Head.Epoch}, published was {mustShow}";
            }
            else
            {
                last = reply.Error;
            }
            if (_time.GetElapsedTime(_started).TotalSeconds > 2 * _limit)
            {
                break;
            }
            await Task.Delay(TimeSpan.FromMilliseconds(200), _time, cancellationToken);
        }
        Complain(ref _lost, $"the history of {key} could not be read: {last}", updates.Length);
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
