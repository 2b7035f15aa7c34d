using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    /// <summary>HistoryAsync asks for every version of a key in the current period. Needs an API key with the scope history.</summary>
    public async Task<HistoryResult> HistoryAsync(ReadOnlyMemory<byte> key, CancellationToken cancellationToken = default)
    {
        KeyName name = KeyName.Of(key, _options.TrustAnchor);
        VersionsRun run = await RunAsync(name, monitor: false, default, (current, _, _) => current, cancellationToken).ConfigureAwait(false);
        return new HistoryResult
        {
            Key = key,
            Verdict = run.Outcome.Verdict,
            Reason = run.Outcome.Reason,
            Head = run.Outcome.Head,
            EvidencePath = run.Outcome.EvidencePath,
            Versions = run.Outcome.Reason == Reason.Valid ? [.. run.Entries.Select(entry => entry.Version)] : [],
        };
    }

    /// <summary>
    /// MonitorAsync verifies every version of an owned key since the last time, and that there is no later one, and compares them with the
    /// updates made through this client's state. Needs an API key with the scope history.
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
            return new MonitorResult
            {
                Key = key,
                Verdict = run.Outcome.Verdict,
                Reason = run.Outcome.Reason,
                Head = run.Outcome.Head,
                EvidencePath = run.Outcome.EvidencePath,
                Version = after?.Version ?? 0,
                NewVersions = after is null ? [] : [.. run.Entries.Select(entry => entry.Version)],
                Alarms = after is null ? [] : after.Alarms,
                Pending = after?.Expected.Length ?? 0,
            };
        }
    }

    /// <summary>OwnedKeys that were updated or monitored with this state.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> OwnedKeys => [.. _store.Current.Owned.Keys.Order(StringComparer.Ordinal).Select(KeyName.FromId)];

    /// <summary>AcknowledgeAlarms ends the alarms of an owned key: its owner says that it knows of these versions. Returns how many there were.</summary>
    public int AcknowledgeAlarms(ReadOnlyMemory<byte> key)
    {
        KeyName name = KeyName.Of(key, _options.TrustAnchor);
        int count = 0;
        _store.TryUpdate(
            current =>
            {
                if (!current.Owned.TryGetValue(name.Id, out OwnedKey? owned) || owned.Alarms.IsEmpty)
                {
                    return current;
                }
                count = owned.Alarms.Length;
                return current with { Owned = current.Owned.SetItem(name.Id, owned with { Alarms = [] }) };
            },
            []);
        return count;
    }

    private async Task<VersionsRun> MonitorFromAsync(KeyName name, OwnedKey seen, CancellationToken cancellationToken)
    {
        bool moved = false;
        ClientState? Remember(ClientState current, IReadOnlyList<VersionsExchange.Entry> entries, VerifiedHead head)
        {
            OwnedKey now = current.Owned.GetValueOrDefault(name.Id) ?? new OwnedKey();
            moved = now.Period != seen.Period || now.Version != seen.Version;
            // With nothing to add, the head alone is remembered and the caller starts again from the newer state.
            return moved ? current : current with { Owned = current.Owned.SetItem(name.Id, OwnerRules.Apply(now, head.Period, head.Epoch, entries)) };
        }
        var start = new KnownKey(0, seen.Period, seen.Version, seen.Time, seen.AbsentEpoch);
        VersionsRun run = await RunAsync(name, monitor: true, start, Remember, cancellationToken).ConfigureAwait(false);
        if (run.Outcome.Reason == Reason.HistoryFrom && seen.Version > 0)
        {
            // In a new period versions count from 1 again. In the old one an answer from 1 that was not asked for stays refused.
            VersionsRun again = await RunAsync(
                name, monitor: true, default, (current, entries, head) => head.Period == seen.Period ? current : Remember(current, entries, head), cancellationToken)
                .ConfigureAwait(false);
            if (again.Outcome.Reason != Reason.Valid || again.Outcome.Head!.Period != seen.Period)
            {
                run = again;
            }
        }
        return run with { Moved = moved };
    }

    // All pages. What they teach together is remembered with the last one.
    private async Task<VersionsRun> RunAsync(
        KeyName name, bool monitor, KnownKey start, Func<ClientState, IReadOnlyList<VersionsExchange.Entry>, VerifiedHead, ClientState?> remember, CancellationToken cancellationToken)
    {
        var entries = new List<VersionsExchange.Entry>();
        KnownKey from = start;
        ulong least = 0;
        while (true)
        {
            ClientState? Remember(ClientState current, VersionsExchange.Page page, VerifiedHead head) =>
                page.Complete ? remember(WithLeastEpoch(current, name, head), [.. entries, .. page.Entries], head) : current;

            var exchange = new VersionsExchange(name, monitor, from, Remember) { LeastEpoch = least };
            Outcome<VersionsExchange.Page> outcome = await _exchanger.RunAsync(exchange, cancellationToken).ConfigureAwait(false);
            if (outcome.Learnt is not { } page)
            {
                return new VersionsRun(outcome, entries, false);
            }
            entries.AddRange(page.Entries);
            if (page.Complete)
            {
                return new VersionsRun(outcome, entries, false);
            }
            (KeyVersion last, ulong time) = page.Entries[^1];
            from = new KnownKey(outcome.Head!.Epoch, page.Period, last.Version, time, null, page.Latest);
            least = outcome.Head.Epoch;
        }
    }

    private static ClientState WithLeastEpoch(ClientState current, KeyName name, VerifiedHead head) =>
        current.Keys.TryGetValue(name.Id, out KeyState? state)
            ? state.LeastEpoch >= head.Epoch ? current : current with { Keys = current.Keys.SetItem(name.Id, state with { LeastEpoch = head.Epoch }) }
            : current with { Keys = current.Keys.SetItem(name.Id, new KeyState { LeastEpoch = head.Epoch, Period = 0, Version = 0, Time = 0 }) };

    private sealed record VersionsRun(Outcome<VersionsExchange.Page> Outcome, IReadOnlyList<VersionsExchange.Entry> Entries, bool Moved);
}
