using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    /// <summary>HistoryAsync asks for every version of a key in the current period. Needs an API key or token with the scope history.</summary>
    public async Task<HistoryResult> HistoryAsync(ReadOnlyMemory<byte> key, CancellationToken cancellationToken = default)
    {
        KeyName name = KeyName.Of(key, _options.TrustAnchor);
        VersionsRun run = await RunAsync(name, monitor: false, default, (current, _, _) => current, cancellationToken).ConfigureAwait(false);
        return History(key, run);
    }

    /// <summary>
    /// MonitorAsync verifies every version of an owned key since the last time, and that there is no later one, and compares them with the
    /// updates made through this client's state. Needs an API key or token with the scope history.
    /// </summary>
    public async Task<MonitorResult> MonitorAsync(ReadOnlyMemory<byte> key, CancellationToken cancellationToken = default)
    {
        KeyName name = KeyName.Of(key, _options.TrustAnchor);
        while (true)
        {
            OwnedKey seen = _store.Current.Owned.GetValueOrDefault(name.Id) ?? new OwnedKey();
            VersionsRun run = await MonitorFromAsync(name, seen, cancellationToken).ConfigureAwait(false);
            if (run.Moved)
            {
                continue;
            }
            OwnedKey? after = run.Outcome.Reason == Reason.Valid ? _store.Current.Owned[name.Id] : null;
            return new MonitorResult(run.Outcome)
            {
                Key = key,
                Version = after?.Version ?? 0,
                NewVersions = after is null ? [] : [.. run.Versions.Select(timed => timed.Version)],
                Alarms = after is null ? [] : after.Alarms,
                Pending = after?.Expected.Count(change => !change.IsOvertaken) ?? 0,
                Overtaken = after?.Expected.Count(change => change.IsOvertaken) ?? 0,
            };
        }
    }

    private async Task<VersionsRun> MonitorFromAsync(KeyName name, OwnedKey seen, CancellationToken cancellationToken)
    {
        bool moved = false;
        ClientState? Remember(ClientState current, IReadOnlyList<VersionsExchange.TimedVersion> versions, VerifiedHead head)
        {
            OwnedKey now = current.Owned.GetValueOrDefault(name.Id) ?? new OwnedKey();
            moved = now.Period != seen.Period || now.Version != seen.Version;
            // With nothing to add, the head alone is remembered and the caller starts again from the newer state.
            return moved ? current : current with { Owned = current.Owned.SetItem(name.Id, OwnerRules.Apply(now with { IsListedOnly = false }, head.Period, head.Epoch, versions)) };
        }
        var start = new KnownKey(0, seen.Period, seen.Version, seen.Time, seen.AbsentEpoch);
        VersionsRun run = await RunAsync(name, monitor: true, start, Remember, cancellationToken).ConfigureAwait(false);
        if (run.Outcome.Reason == Reason.HistoryFrom && seen.Version > 0)
        {
            // In a new period versions count from 1 again. In the old one an answer from 1 that was not asked for stays refused.
            VersionsRun again = await RunAsync(
                name, monitor: true, default, (current, versions, head) => head.Period == seen.Period ? current : Remember(current, versions, head), cancellationToken)
                .ConfigureAwait(false);
            if (again.Outcome.Reason != Reason.Valid || again.Outcome.Head!.Period != seen.Period)
            {
                run = again;
            }
        }
        return run with { Moved = moved };
    }

    private static HistoryResult History(ReadOnlyMemory<byte> key, VersionsRun run) => new(run.Outcome)
    {
        Key = key,
        Versions = run.Outcome.Reason == Reason.Valid ? [.. run.Versions.Select(timed => timed.Version)] : [],
    };

    // These versions of a key alone, in increasing order, by as few pages of history as hold them. The result has those found before the first refusal.
    private async Task<VersionsRun> FindVersionsAsync(KeyName name, KeyVersionNumber[] versions, ulong leastEpoch, CancellationToken cancellationToken)
    {
        var found = new List<VersionsExchange.TimedVersion>();
        VersionsRun run;
        do
        {
            KeyVersionNumber next = versions[found.Count];
            // As after a page that ended before this version: nothing else is known of what comes before it.
            KnownKey before = next.Version == 1 ? default : new KnownKey(0, next.Period, next.Version - 1, 0, null, next.Version);
            var exchange = new VersionsExchange(name, monitor: false, before, (current, _, _) => current) { LeastEpoch = leastEpoch };
            Outcome<VersionsExchange.Page> outcome = await _exchanger.RunAsync(exchange, cancellationToken).ConfigureAwait(false);
            run = new VersionsRun(outcome, found, false);
            foreach (VersionsExchange.TimedVersion shown in outcome.Learnt?.Versions ?? [])
            {
                if (found.Count < versions.Length && shown.Version.Version == versions[found.Count].Version)
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

    // All pages. What they teach together is remembered with the last one.
    private async Task<VersionsRun> RunAsync(
        KeyName name, bool monitor, KnownKey start, Func<ClientState, IReadOnlyList<VersionsExchange.TimedVersion>, VerifiedHead, ClientState?> remember, CancellationToken cancellationToken)
    {
        var shown = new List<VersionsExchange.TimedVersion>();
        KnownKey from = start;
        ulong least = 0;
        while (true)
        {
            ClientState? Remember(ClientState current, VersionsExchange.Page page, VerifiedHead head) =>
                page.Complete ? remember(current, [.. shown, .. page.Versions], head) : current;

            var exchange = new VersionsExchange(name, monitor, from, Remember) { LeastEpoch = least };
            Outcome<VersionsExchange.Page> outcome = await _exchanger.RunAsync(exchange, cancellationToken).ConfigureAwait(false);
            if (outcome.Learnt is not { } page)
            {
                return new VersionsRun(outcome, shown, false);
            }
            shown.AddRange(page.Versions);
            if (page.Complete)
            {
                return new VersionsRun(outcome, shown, false);
            }
            (KeyVersion last, ulong time) = page.Versions[^1];
            from = new KnownKey(outcome.Head!.Epoch, page.Period, last.Version, time, null, page.Latest);
            least = outcome.Head.Epoch;
        }
    }

    private sealed record VersionsRun(Outcome<VersionsExchange.Page> Outcome, IReadOnlyList<VersionsExchange.TimedVersion> Versions, bool Moved);
}
