using System.Collections.Concurrent;
using System.Net;
using System.Runtime.ExceptionServices;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Runs exchanges: asks a replica, verifies the answer against the head in the state, saves the new state, and only then returns. When a
/// replica is unreachable or behind, the exchanger asks the other replicas, and then the same replica again. When the exchanger refuses a
/// replica's answer, it reports the refusal and asks the other replicas, because one valid answer from any replica is enough. Without a
/// valid answer the first failure is the verdict. A proof that the log contradicted itself ends this exchange and all later exchanges.
/// </summary>
internal sealed class VerifiedExchanger
{
    private const int MaxAnswerLength = 64 << 20;
    private static readonly TimeSpan s_comparedFor = TimeSpan.FromMinutes(1);
    private readonly OptiksClientOptions _options;
    private readonly ServerConnection _connection;
    private readonly IClientStateStore _store;
    private readonly ForkSearch _forks;
    private readonly CosignerWatch _cosigners;
    private readonly TimeProvider _time;
    private readonly ConcurrentDictionary<Uri, long> _compared = new();
    private int _preferred;

    public VerifiedExchanger(OptiksClientOptions options, ServerConnection connection, IClientStateStore store, TimeProvider time)
    {
        _options = options;
        _connection = connection;
        _store = store;
        _forks = new ForkSearch(options.TrustAnchor, options.QueryUrls, connection, time);
        _cosigners = new CosignerWatch(options, connection, time);
        _time = time;
    }

    public async Task<Outcome<T>> RunAsync<T>(VerifiedExchange<T> exchange, CancellationToken cancellationToken)
    {
        var backoff = new Backoff(_options, _time);
        IReadOnlyList<Uri> urls = _options.QueryUrls;
        var failed = new HashSet<int>();
        Outcome<T>? refused = null;
        OptiksServerException? unusable = null;
        while (true)
        {
            OptiksServerException? failure = null;
            OptiksServerException? gone = null;
            Outcome<T>? partial = null;
            int partialReplica = 0;
            int goneReplicas = 0;
            bool behind = false;
            int first = Volatile.Read(ref _preferred);
            foreach (int replica in Enumerable.Range(0, urls.Count).Select(i => (first + i) % urls.Count)
                .Where(replica => !failed.Contains(replica)))
            {
                try
                {
                    Outcome<T>? outcome =
                        await TryAskAsync(exchange, urls[replica], cancellationToken, mayBePartial: urls.Count == 1).ConfigureAwait(false);
                    if (outcome is { Partial: not null })
                    {
                        (partial, partialReplica) = partial is null || exchange.ShowsMore(outcome.Learnt!, partial.Learnt!)
                            ? (outcome, replica)
                            : (partial, partialReplica);
                    }
                    else if (outcome is not null && IsFinal(outcome))
                    {
                        if (partial is not null)
                        {
                            Report(urls[partialReplica], null,
                                $"{urls[partialReplica].Authority} did not show a value that {urls[replica].Authority} shows.");
                        }
                        Volatile.Write(ref _preferred, replica);
                        return outcome;
                    }
                    else if (outcome is not null)
                    {
                        failed.Add(replica);
                        refused ??= unusable is null ? outcome : null;
                        Report(urls[replica], outcome.Reason,
                            $"{urls[replica].Authority} gave an answer that is refused ({outcome.Reason.Name()}).");
                    }
                    behind |= outcome is null;
                }
                catch (OptiksServerException e) when (e.IsTransient)
                {
                    failure = e;
                    if (e.Problem == ProblemNames.NotCaughtUp
                        && await FindForkBehindAsync<T>(urls[replica], cancellationToken).ConfigureAwait(false) is { } fork)
                    {
                        return fork;
                    }
                }
                catch (OptiksServerException e)
                    when (!exchange.EndedRecord.IsEmpty && e.Problem is ProblemNames.PeriodGone or ProblemNames.Erased)
                {
                    gone = e;
                    goneReplicas++;
                }
                catch (OptiksServerException e)
                    when ((!exchange.EndedRecord.IsEmpty || exchange.FollowsPeriods) && e.Problem == ProblemNames.NotFound)
                {
                    // This replica is behind: it does not know yet that the period in question has begun, or that this period has ended.
                    behind = true;
                }
                catch (OptiksServerException e) when (e.Failure != ServerFailure.Insecure)
                {
                    failed.Add(replica);
                    unusable ??= refused is null ? e : null;
                    Report(urls[replica], null, e.Message);
                }
            }
            if (partial is not null)
            {
                if (await TryAskAsync(exchange, urls[partialReplica], cancellationToken, partial.Partial)
                    .ConfigureAwait(false) is { } taken)
                {
                    return taken;
                }
                behind = true;
            }
            if (gone is not null && goneReplicas == urls.Count)
            {
                // Stop only if every replica reports that it no longer serves the data. A replica that gave no answer may still serve the
                // data.
                ExceptionDispatchInfo.Throw(gone);
            }
            if (failed.Count == urls.Count || !await backoff.TryWaitAsync(failure?.RetryAfter, cancellationToken).ConfigureAwait(false))
            {
                return refused
                    ?? (unusable is not null ? throw unusable : behind ? new Outcome<T>(Reason.Stale, null, default) : throw failure!);
            }
        }
    }

    // Tells whether the exchange ends without asking another replica. This is the case if the answer is valid, there is evidence against
    // the log, cosignatures are missing, or the caller must ask a new question.
    private static bool IsFinal<T>(Outcome<T> outcome) =>
        outcome.Reason is Reason.Valid or Reason.WitnessQuorum || outcome.IsOvertaken || outcome.EvidencePath is not null;

    private void Report(Uri replica, Reason? reason, string detail)
    {
        if (_options.QueryUrls.Count > 1)
        {
            _options.ReplicaFailed?.Invoke(new ReplicaFault(replica, reason, detail));
        }
    }

    // Compares the checkpoint of a replica with the kept checkpoint, at intervals. The replica is behind, so it may follow another history.
    // Returns null if the comparison finds no fork.
    private async Task<Outcome<T>?> FindForkBehindAsync<T>(
        Uri replica, CancellationToken cancellationToken, ReadOnlyMemory<byte> answer = default)
    {
        if (_store.Current.Head is not { } kept
            || (_compared.TryGetValue(replica, out long at) && _time.GetElapsedTime(at) < s_comparedFor))
        {
            return null;
        }
        _compared[replica] = _time.GetTimestamp();
        ForkFinding finding = await _forks.RunAsync(kept, answer, replica, cancellationToken).ConfigureAwait(false);
        return finding.Contradiction is { } contradiction ? Fork<T>(kept, contradiction, replica) : null;
    }

    // Asks one replica. Returns null if the replica is behind.
    private async Task<Outcome<T>?> TryAskAsync<T>(
        VerifiedExchange<T> exchange, Uri replica, CancellationToken cancellationToken, byte[]? given = null, bool mayBePartial = true)
    {
        ulong? at = null;
        bool mayAskForRecent = exchange.MayBeOfRecentEpoch;
        while (true)
        {
            ClientState seen = _store.Current;
            if (seen.Fork is { } fork)
            {
                return new Outcome<T>(fork.Breach ?? Reason.Fork, null, default) { EvidencePath = fork.EvidencePath };
            }
            if ((given ?? await AskAsync(exchange, seen, at, replica, cancellationToken).ConfigureAwait(false)) is not { } answer)
            {
                at = null;
                continue;
            }
            given = null;
            VerifierContext context = Context(seen) with { EndedRecord = exchange.EndedRecord };
            (Reason reason, VerifiedHead? head, T? learnt, int? failedKey) = exchange.Verify(context, seen, answer);
            IReadOnlyList<LeafStatement> leaves = LeavesOf(exchange, seen, reason, answer);
            // If the answer may belong to a fork, RefuseAsync searches for the fork before it compares statements about leaves.
            bool mayBeFork = reason == Reason.Fork || (seen.Head is not null && ForkSearch.MayShow(reason));
            if (!mayBeFork && BrokenBy<T>(seen, leaves, replica) is { } broken)
            {
                return broken;
            }
            // An exchange accepts records of other periods than the current one in two cases: if its own answer proves the steps to later
            // periods, or if it asks about an ended period.
            bool isOfCurrent = exchange.EndedRecord.IsEmpty && !exchange.FollowsPeriods;
            if (isOfCurrent && Verifier.OtherPeriod(context, reason, answer) is { } period)
            {
                if (period < seen.Head!.Period)
                {
                    // The answer's period is earlier than the kept head's period. If the answer's epoch is earlier too, the replica is
                    // behind. If the epoch is later, the log has returned to a period that had ended.
                    bool isBehind = EpochRecord.ReadEpoch(answer) < EpochRecord.ReadEpoch(seen.Head.Record);
                    Outcome<T> refused =
                        await RefuseAsync(exchange, Reason.RecordPeriod, null, seen, answer, leaves, replica, cancellationToken)
                            .ConfigureAwait(false);
                    return isBehind && refused.EvidencePath is null ? null : refused;
                }
                Outcome<IReadOnlyList<byte[]>>? followed =
                    await TryFollowAsync(seen.Head.Period, period, replica, cancellationToken).ConfigureAwait(false);
                if (followed is null)
                {
                    return null;
                }
                if (followed.Reason != Reason.Valid)
                {
                    return new Outcome<T>(followed.Reason, null,
                        default)
                    { EvidencePath = followed.EvidencePath, Detail = followed.Detail };
                }
                if (exchange.IsOfOnePeriod)
                {
                    return new Outcome<T>(Reason.RecordPeriod, null, default) { IsOvertaken = true };
                }
                continue;
            }
            if (reason == Reason.Stale && at is not null)
            {
                // The state already has a later epoch than the requested one, so ask for the newest epoch.
                at = null;
                continue;
            }
            if (reason == Reason.Stale || (head is not null && head.Epoch < exchange.LeastEpoch))
            {
                return reason == Reason.Stale
                    ? await FindForkBehindAsync<T>(replica, cancellationToken, answer).ConfigureAwait(false)
                    : null;
            }
            if (reason != Reason.Valid)
            {
                return await RefuseAsync(exchange, reason, failedKey, seen, answer, leaves, replica, cancellationToken)
                    .ConfigureAwait(false);
            }
            // If the answer has several records, this record is the one with the largest epoch.
            byte[] record = answer[head!.Record];
            ulong epoch = EpochRecord.ReadEpoch(record);
            ulong from = Math.Min(exchange.ProvenFrom ?? epoch, epoch);
            CosignerView view =
                await _cosigners.SeeAsync(new CosignerView(NewHead(seen.Head, head, answer), seen.Cosigners), from, epoch, replica,
                    !mayAskForRecent, cancellationToken).ConfigureAwait(false);
            if (view.Fork is { } evidence)
            {
                return Fork<T>(evidence);
            }
            var coverage = new Coverage(_options.TrustAnchor.Policy, view.Cosigners);
            if (!coverage.IsWitnessed(epoch))
            {
                if (mayAskForRecent)
                {
                    // Ask for the newest epoch that witnesses have already cosigned. If this replica still serves that epoch, the client
                    // need not wait for cosignatures.
                    (mayAskForRecent, at) = (false, coverage.WitnessedEpoch());
                    continue;
                }
                return new Outcome<T>(Reason.WitnessQuorum, null,
                    default)
                {
                    Detail =
                        $"the witnesses of the policy have not cosigned a checkpoint with epoch {epoch}, as far as the servers say"
                };
            }
            if (!mayBePartial && !exchange.IsWhole(learnt!))
            {
                return new Outcome<T>(Reason.Valid, null, learnt) { Partial = answer };
            }
            DateTimeOffset now = _time.GetUtcNow();
            bool remembered = _store.TryUpdate(
                current => SameView(seen.Head, current.Head, view.Head)
                    && exchange.Remember(seen, WithView(current, view), head, learnt!) is { } next
                    ? LeafRules.Keep(Beliefs.Update(next, _options.TrustAnchor.Policy, exchange.Shown(learnt!), record, from, now), leaves)
                    : null,
                [.. exchange.Values(learnt!), .. leaves.Select(leaf => new ReadOnlyMemory<byte>(leaf.Encode()))]);
            if (remembered)
            {
                var info = new HeadInfo(head.Epoch, head.Period, UnixTime.FromMilliseconds(head.TimeMs), head.Size)
                {
                    IsAudited = coverage.IsAudited(from, epoch),
                    Overdue = coverage.Overdue(_store.Current.Unaudited, now),
                };
                return new Outcome<T>(Reason.Valid, info, learnt);
            }
            // Another call changed the state in the meantime. Ask again, because this answer was not compared with the new state.
        }
    }

    // Follows the log from one period to another, page by page. Returns null if the replica does not know the later period.
    private async Task<Outcome<IReadOnlyList<byte[]>>?> TryFollowAsync(
        ulong from, ulong to, Uri replica, CancellationToken cancellationToken)
    {
        while (true)
        {
            Outcome<IReadOnlyList<byte[]>>? page =
                await TryAskAsync(new PeriodsExchange(from), replica, cancellationToken).ConfigureAwait(false);
            ulong reached = _store.Current.Head!.Period;
            if (page is null || page.Reason != Reason.Valid || reached >= to)
            {
                return page;
            }
            if (reached <= from)
            {
                return null;
            }
            from = reached;
        }
    }

    // Sends the request to a replica. Returns null if the replica does not serve the requested epoch.
    private async Task<byte[]?> AskAsync<T>(
        VerifiedExchange<T> exchange, ClientState seen, ulong? at, Uri replica, CancellationToken cancellationToken)
    {
        string epoch = at is null ? "" : $"&at_epoch={at}";
        var request = new ServerRequest(
            replica, $"{exchange.Path}?checkpoint_size={seen.Head?.Size ?? 0}{exchange.Query}{epoch}", exchange.MediaType,
            (int)Math.Min(MaxAnswerLength, exchange.MaxLength + (long)_options.TrustAnchor.Configuration.MaxValueLength))
        {
            Body = exchange.Body(seen) is { } body ? (body, exchange.BodyMediaType) : default((ReadOnlyMemory<byte>, string)?),
            Authorize = exchange.NeedsAuthorization,
        };
        try
        {
            return await _connection.SendAsync(request, cancellationToken).ConfigureAwait(false);
        }
        catch (OptiksServerException e) when (e.Status == HttpStatusCode.Unauthorized && !exchange.NeedsAuthorization
            && (_options.AuthorizeLookups || exchange.MayAuthorize) && _connection.HasCredential)
        {
            return await _connection.SendAsync(request with { Authorize = true }, cancellationToken).ConfigureAwait(false);
        }
        catch (OptiksServerException e) when (at is not null && e.Problem == ProblemNames.NotFound)
        {
            return null;
        }
    }

    private VerifierContext Context(ClientState seen) => new()
    {
        Anchor = _options.TrustAnchor,
        NowMs = (ulong)_time.GetUtcNow().ToUnixTimeMilliseconds(),
        KeptSize = seen.Head?.Size ?? 0,
        KeptRoot = seen.Head?.Root,
        KeptRecord = seen.Head?.Record,
    };

    // Refuses an answer. If the answer contradicts the kept head, either this server lies or the log has forked. Only checkpoints and
    // records that the log signed show which of the two is true.
    private async Task<Outcome<T>> RefuseAsync<T>(
        VerifiedExchange<T> exchange, Reason reason, int? failedKey, ClientState seen, byte[] answer, IReadOnlyList<LeafStatement> leaves,
        Uri replica, CancellationToken cancellationToken)
    {
        HeadState? kept = seen.Head;
        if (kept is not null && reason == Reason.Fork)
        {
            return Fork<T>(kept,
                new Contradiction(Heads.Peek(answer).Checkpoint, null, exchange.ContradictingRecord(answer, kept.Record), answer), replica);
        }
        if (kept is not null && ForkSearch.MayShow(reason))
        {
            ForkFinding finding = await _forks.RunAsync(kept, answer, replica, cancellationToken).ConfigureAwait(false);
            return finding.Contradiction is { } contradiction
                ? Fork<T>(kept, contradiction, replica)
                : BrokenBy<T>(seen, leaves, replica)
                    ?? new Outcome<T>(reason, null, default) { FailedKey = failedKey, Detail = finding.Detail };
        }
        return new Outcome<T>(reason, null, default) { FailedKey = failedKey };
    }

    private Outcome<T> Fork<T>(HeadState kept, Contradiction contradiction, Uri replica) =>
        Fork<T>(ForkEvidence.Collect(_options.TrustAnchor, kept, contradiction, replica.Authority));

    private Outcome<T> Fork<T>(IReadOnlyDictionary<string, ReadOnlyMemory<byte>> evidence) => Proven<T>(evidence, null);

    // Returns the answer's statements about leaves of an owner's keys and users, or about leaves that an owner requested; no statements if
    // the answer does not decode.
    private static IReadOnlyList<LeafStatement> LeavesOf<T>(VerifiedExchange<T> exchange, ClientState seen, Reason reason, byte[] answer)
    {
        try
        {
            return reason.IsMalformed()
                ? []
                : [.. exchange.Leaves(seen, answer).Where(leaf => exchange.NeedsAuthorization || LeafRules.IsOwn(seen, leaf))];
        }
        catch (EncodingException) when (reason != Reason.Valid)
        {
            // The answer does not decode, so the verifier has already refused it with its own reason.
            return [];
        }
    }

    // Returns the outcome with the evidence if one of the answer's statements contradicts a kept statement; otherwise null.
    private Outcome<T>? BrokenBy<T>(ClientState seen, IReadOnlyList<LeafStatement> leaves, Uri replica) =>
        LeafRules.FindContradiction(seen, _store, _options.TrustAnchor, leaves) is (var kept, var received)
            ? Proven<T>(LeafEvidence.Collect(_options.TrustAnchor, kept, received, replica.Authority), Reason.LeafContradicts)
            : null;

    private Outcome<T> Proven<T>(IReadOnlyDictionary<string, ReadOnlyMemory<byte>> evidence, Reason? breach)
    {
        string path = _store.WriteEvidence(ForkEvidence.Name(_time), evidence);
        _store.TryUpdate(current => current with { Fork = new ForkState(path, breach) }, []);
        return new Outcome<T>(breach ?? Reason.Fork, null, default) { EvidencePath = path };
    }

    private HeadState NewHead(HeadState? kept, VerifiedHead head, byte[] answer)
    {
        byte[] record = answer[head.Record];
        byte[] checkpoint = answer[head.Checkpoint];
        bool laterRecord = kept is null || EpochRecord.ReadEpoch(record) > EpochRecord.ReadEpoch(kept.Record);
        if (kept is not null && kept.Size == head.Size && !laterRecord)
        {
            return kept;
        }
        return new HeadState
        {
            Size = head.Size,
            Root = head.Root.ToArray(),
            Checkpoint = checkpoint.Length > 0 ? VerifiedNote.Reduce(_options.TrustAnchor, checkpoint) : kept!.Checkpoint,
            Record = laterRecord ? record : kept!.Record,
        };
    }

    // Tells whether the head of the state is still the head against which the answer was verified, or is the answer's own head. Otherwise
    // the caller asks again, because two answers that were verified against one head may still contradict each other.
    private static bool SameView(HeadState? seen, HeadState? current, HeadState next) =>
        ReferenceEquals(seen, current)
        || (current is not null && current.Size == next.Size && current.Root.AsSpan().SequenceEqual(next.Root)
            && current.Record.AsSpan().SequenceEqual(next.Record));

    private static ClientState WithView(ClientState current, CosignerView view)
    {
        ClientState begun = current.Head is null ? OwnRules.Begin(current, EpochRecord.ReadPeriod(view.Head.Record)) : current;
        ClientState next = ReferenceEquals(current.Head, view.Head) ? current : begun with { Head = view.Head };
        foreach ((string cosigner, CosignerState signed) in view.Cosigners)
        {
            // Another call may have stored a newer checkpoint of this cosigner in the meantime. That checkpoint agrees with the same head,
            // so keep the newer one.
            if (next.Cosigners.GetValueOrDefault(cosigner) is not { } kept || kept.Size < signed.Size)
            {
                next = next with { Cosigners = next.Cosigners.SetItem(cosigner, signed) };
            }
        }
        return next;
    }
}
