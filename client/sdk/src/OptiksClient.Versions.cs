using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    /// <summary>
    /// Asks for every version of a key in the current period. The call needs an API key or token with the scope <c>history</c>.
    /// </summary>
    public async Task<HistoryResult> HistoryAsync(ReadOnlyMemory<byte> key, CancellationToken cancellationToken = default)
    {
        KeyName name = KeyName.Of(key, _options.TrustAnchor);
        VersionsRun run;
        do
        {
            run = await RunAsync(name, new VersionsQuestion(), (current, _, _, _, _) => current, cancellationToken).ConfigureAwait(false);
        }
        while (run.Outcome.IsOvertaken);
        return History(key, run);
    }

    /// <summary>
    /// Asks for every version that a key had in one period, up to the period's last epoch if the period has ended. Throws
    /// <see cref="ArgumentOutOfRangeException"/> if the log has not begun the period, and <see cref="OptiksServerException"/> with the
    /// problem <c>period-gone</c> if servers no longer serve the period. The call needs an API key or token with the scope <c>history</c>.
    /// </summary>
    public async Task<HistoryResult> HistoryAsync(ReadOnlyMemory<byte> key, ulong period, CancellationToken cancellationToken = default)
    {
        KeyName name = KeyName.Of(key, _options.TrustAnchor);
        (Outcome<IReadOnlyList<byte[]>> periods, byte[]? ended) = await FindEndAsync(period, cancellationToken).ConfigureAwait(false);
        if (periods.Reason != Reason.Valid)
        {
            return new HistoryResult(periods) { Key = key };
        }
        if (ended is null)
        {
            return periods.Head!.Period == period
                ? await HistoryAsync(key, cancellationToken).ConfigureAwait(false)
                : throw NotBegun(period, periods.Head.Period);
        }
        return History(
            key,
            await RunAsync(name, new VersionsQuestion { EndedRecord = ended }, (current, _, _, _, _) => current, cancellationToken)
                .ConfigureAwait(false));
    }

    private static HistoryResult History(ReadOnlyMemory<byte> key, VersionsRun run) => new(run.Outcome)
    {
        Key = key,
        Versions = run.Outcome.Reason == Reason.Valid ? [.. run.Versions.Select(timed => timed.Version)] : [],
    };

    // Finds the given versions of a key with as few pages of history as possible. The versions must belong to one period and be in
    // increasing order. If the client refuses an answer, the result has the versions that earlier answers showed.
    private async Task<VersionsRun> FindVersionsAsync(
        KeyName name, KeyVersionNumber[] versions, ulong leastEpoch, CancellationToken cancellationToken)
    {
        byte[]? ended = null;
        if (_store.Current.Head is { } head && versions[0].Period < head.Period)
        {
            (Outcome<IReadOnlyList<byte[]>> periods, ended) =
                await FindEndAsync(versions[0].Period, cancellationToken).ConfigureAwait(false);
            if (ended is null)
            {
                return new VersionsRun(
                    new Outcome<VersionsExchange.Page>(periods.Reason == Reason.Valid ? Reason.PeriodBounds : periods.Reason, null,
                        null)
                    { EvidencePath = periods.EvidencePath, Detail = periods.Detail }, [], null);
            }
        }
        var found = new List<TimedVersion>();
        VersionsRun run;
        do
        {
            KeyVersionNumber next = versions[found.Count];
            // Ask as if a page of history had ended just before this version. The client knows nothing about the versions before it.
            KnownKey before = next.Version == 1 ? default : new KnownKey(0, next.Period, next.Version - 1, 0, null, next.Version);
            var exchange = new VersionsExchange(
                name, monitor: false, before, (current, _, _) => current, ended)
            { LeastEpoch = ended is null ? leastEpoch : 0 };
            Outcome<VersionsExchange.Page> outcome = await _exchanger.RunAsync(exchange, cancellationToken).ConfigureAwait(false);
            if (outcome.IsOvertaken)
            {
                // The period of the versions has ended in the meantime, so start again with the period's last record.
                return await FindVersionsAsync(name, versions, leastEpoch, cancellationToken).ConfigureAwait(false);
            }
            run = new VersionsRun(outcome, found, null);
            foreach (TimedVersion shown in outcome.Learnt?.Versions ?? [])
            {
                if (found.Count < versions.Length && shown.Version.Version == versions[found.Count].Version
                    && shown.Version.Period == next.Period)
                {
                    found.Add(shown);
                }
            }
            if (outcome.Learnt is null || found.Count == 0 || found[^1].Version.Version < next.Version)
            {
                return run;
            }
        }
        while (found.Count < versions.Length);
        return run;
    }

    // Reads all pages of a list of versions, and updates the state once, after the last page.
    private async Task<VersionsRun> RunAsync(
        KeyName name, VersionsQuestion question,
        Func<ClientState, IReadOnlyList<TimedVersion>, VerifiedHead, Reason?, ulong, ClientState?> remember,
        CancellationToken cancellationToken)
    {
        var shown = new List<TimedVersion>();
        KnownKey from = question.Start;
        Reason? handover = null;
        ulong least = 0;
        ulong? proven = question.Proven;
        long octets = 0;
        long started = _time.GetTimestamp();
        for (int pages = 1; ; pages++)
        {
            ClientState? Remember(ClientState current, VersionsExchange.Page page, VerifiedHead head) =>
                page.Complete ? remember(current, [.. shown, .. page.Versions], head, handover ?? page.Handover,
                    Math.Min(proven ?? head.Epoch, head.Epoch)) : current;

            var exchange = new VersionsExchange(
                name, question.IsMonitor, from, Remember, question.EndedRecord)
            { LeastEpoch = least, End = question.End, Proven = proven };
            Outcome<VersionsExchange.Page> outcome = await _exchanger.RunAsync(exchange, cancellationToken).ConfigureAwait(false);
            if (outcome.Learnt is not { } page)
            {
                return new VersionsRun(outcome, shown, handover);
            }
            shown.AddRange(page.Versions);
            handover ??= page.Handover;
            if (page.Complete)
            {
                return new VersionsRun(outcome, shown, handover);
            }
            octets += page.Octets;
            RequireEnd(pages, octets, started);
            (KeyVersion last, ulong time) = page.Versions[^1];
            from = new KnownKey(outcome.Head!.Epoch, page.Period, last.Version, time, null, page.Latest);
            least = outcome.Head.Epoch;
            proven = Math.Min(proven ?? least, least);
        }
    }

    // Throws if the pages exceed their bounds. Without bounds a server could send pages forever, and the client keeps all pages in memory
    // until it has the last one.
    private void RequireEnd(int pages, long octets, long started)
    {
        if (pages >= _options.MaxPages || octets > _options.MaxPagesLength || _time.GetElapsedTime(started) > _options.MaxPagesTime)
        {
            throw new OptiksServerException(
                ServerFailure.Unusable, _options.QueryUrls[0],
                $"The answer did not end after {pages} pages with {octets} octets: nothing of it is shown.");
        }
    }

    // A question about a key's versions. If `EndedRecord` is not empty, the question is about the period that ended with that record.
    private readonly record struct VersionsQuestion(bool IsMonitor, KnownKey Start, ReadOnlyMemory<byte> EndedRecord, EndState? End)
    {
        // The answer may leave out proofs that earlier answers had. Auditors must then cover all epochs from this epoch on. Null if the
        // answer leaves out nothing.
        public ulong? Proven { get; init; }
    }

    private sealed record VersionsRun(
        Outcome<VersionsExchange.Page> Outcome, IReadOnlyList<TimedVersion> Versions, Reason? Handover);
}
