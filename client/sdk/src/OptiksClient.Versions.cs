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
        (Outcome outcome, ShownVersions? shown) =
            await ReadAsync(new KeySubject(KeyName.Of(key, _options.TrustAnchor)), default, null, cancellationToken).ConfigureAwait(false);
        return History(key, outcome, shown);
    }

    /// <summary>
    /// Asks for every version that a key had in one period, up to the period's last epoch if the period has ended. Throws
    /// <see cref="ArgumentOutOfRangeException"/> if the log has not begun the period, and <see cref="OptiksServerException"/> with the
    /// problem <c>period-gone</c> if servers no longer serve the period. The call needs an API key or token with the scope <c>history</c>.
    /// </summary>
    public async Task<HistoryResult> HistoryAsync(ReadOnlyMemory<byte> key, ulong period, CancellationToken cancellationToken = default)
    {
        (Outcome outcome, ShownVersions? shown) =
            await ReadPeriodAsync(new KeySubject(KeyName.Of(key, _options.TrustAnchor)), period, null, cancellationToken)
                .ConfigureAwait(false);
        return History(key, outcome, shown);
    }

    private static HistoryResult History(ReadOnlyMemory<byte> key, Outcome outcome, ShownVersions? shown) => new(outcome)
    {
        Key = key,
        Versions = shown is null ? [] : [.. shown.VersionsAfter(shown.Subject, 0)],
    };

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
                    new Outcome(periods.Reason == Reason.Valid ? Reason.PeriodBounds : periods.Reason, null)
                    {
                        EvidencePath = periods.EvidencePath,
                        Detail = periods.Detail,
                    }, []);
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
                new KeyPages(name, isMonitor: false, before) { EndedRecord = ended }, (current, _) => current)
            {
                LeastEpoch = ended is null ? leastEpoch : 0,
            };
            Outcome<VersionsExchange.Learnt> outcome = await _exchanger.RunAsync(exchange, cancellationToken).ConfigureAwait(false);
            if (outcome.IsOvertaken)
            {
                // The period of the versions has ended in the meantime, so start again with the period's last record.
                return await FindVersionsAsync(name, versions, leastEpoch, cancellationToken).ConfigureAwait(false);
            }
            run = new VersionsRun(outcome, found);
            foreach (TimedVersion shown in outcome.Learnt?.Page.Chains[0].Versions ?? [])
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

    // Versions that an answer showed, with the outcome of the last question.
    private sealed record VersionsRun(Outcome Outcome, IReadOnlyList<TimedVersion> Versions);
}
