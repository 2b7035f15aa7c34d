using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    /// <summary>
    /// Verifies every version of an owned key since the key was last monitored, and that no later version exists. Compares the versions
    /// with the updates that were made with this client's state. If the log has begun other periods since then, the call verifies the end
    /// of each ended period. It also verifies that the next period began with a copy of the key's value at that end (docs/spec/periods.md
    /// section 6). <see cref="MonitorResult.NoGuarantee"/> reports the periods that are no longer served. The call needs an API key or
    /// token with the scope <c>history</c>.
    /// </summary>
    public async Task<MonitorResult> MonitorAsync(ReadOnlyMemory<byte> key, CancellationToken cancellationToken = default)
    {
        KeyName name = KeyName.Of(key, _options.TrustAnchor);
        var chain = StructureKey.OfKey(name.Id);
        var shown = new List<KeyVersion>();
        var handedOver = new List<ulong>();
        while (true)
        {
            ClientState state = _store.Current;
            Own seen = state.OwnOf(chain) ?? OwnRules.NewKey(state);
            EpochRecord? end = seen.At is { } from ? state.EndOf(from.Period) : null;
            bool isVerified = end is not null && OwnRules.IsVerifiedTo(seen, end);
            // Step 1 of the hand-over asks for the versions up to the end of the ended period. Step 2 asks for the versions of the next
            // period.
            EpochRecord? asked = isVerified ? state.EndOf(end!.Period + 1) : end;
            try
            {
                (VersionsRun run, bool moved) =
                    await MonitorFromAsync(name, state, seen, isVerified ? end : null, asked, cancellationToken).ConfigureAwait(false);
                if (moved || run.Outcome.IsOvertaken)
                {
                    continue;
                }
                if (run.Outcome.Reason == Reason.Valid)
                {
                    // Skip versions that earlier monitoring showed, because a server may show known versions again.
                    shown.AddRange(run.Versions.Select(timed => timed.Version).Where(version =>
                        !(version.IsCopy && run.Handover == Reason.Valid)
                            && !(version.Period == seen.At?.Period && version.Version <= seen.At.Version)));
                    handedOver.AddRange(isVerified && run.Handover == Reason.Valid ? [end!.Period] : []);
                    if (asked is not null)
                    {
                        continue;
                    }
                }
                return Result(key, name, run.Outcome, shown, handedOver);
            }
            catch (OptiksServerException e) when (asked is not null && IsEndMissing(e))
            {
                if (e.Problem != ProblemNames.Erased || !PersonRules.HasLeft(state, name.Id))
                {
                    await ThrowUnlessMissingAsync(
                        e, asked.Period, next => HasErasedCopyAsync(key, next, cancellationToken), cancellationToken).ConfigureAwait(false);
                }
                _store.TryUpdate(
                    current => current.OwnOf(chain) is { } now && IsAt(now, seen)
                        ? PeriodEnds.Tidy(current.SetOwn(chain, OwnRules.Miss(now, asked)))
                        : current, []);
            }
        }
    }

    private async Task<bool> HasErasedCopyAsync(ReadOnlyMemory<byte> key, ulong period, CancellationToken cancellationToken) =>
        (await HistoryAsync(key, period, cancellationToken).ConfigureAwait(false)).Versions is [{ IsCopy: true, Value: null }, ..];

    private MonitorResult Result(
        ReadOnlyMemory<byte> key, KeyName name, Outcome outcome, IReadOnlyList<KeyVersion> shown, IReadOnlyList<ulong> handedOver)
    {
        Own? kept = _store.Current.OwnOf(StructureKey.OfKey(name.Id));
        Own? after = outcome.Reason == Reason.Valid ? kept : null;
        return new MonitorResult(outcome)
        {
            Key = key,
            Version = after?.At?.Version ?? 0,
            NewVersions = after is null ? [] : shown,
            HandedOver = handedOver,
            NoGuarantee = kept?.NoGuarantee ?? [],
            Alarms = after is null ? [] : after.Alarms,
            Pending = after?.Expected.Count(change => !change.IsOvertaken) ?? 0,
            Overtaken = after?.Expected.Count(change => change.IsOvertaken) ?? 0,
        };
    }

    // Asks one question, about the period that ended with the record `asked`, or about the current period if `asked` is null. If `before`
    // is not null, the question is step 2 of the hand-over from the period that ended with that record.
    private async Task<(VersionsRun Run, bool Moved)> MonitorFromAsync(
        KeyName name, ClientState state, Own seen, EpochRecord? before, EpochRecord? asked, CancellationToken cancellationToken)
    {
        bool moved = false;
        var chain = StructureKey.OfKey(name.Id);
        // The cursor is null only before the first head. There is nothing to go on from then.
        Cursor at = seen.At ?? new Cursor { Period = 0 };
        bool isKnown = before is null && at.Period == (asked?.Period ?? state.Head?.Period);
        // The client requests known versions again if auditors have not covered the epochs since an answer showed these versions.
        bool goesOn = isKnown && (at.Version == 0 || CoverageOf(state).MayLeaveOut(at.ProvenEpoch ?? 0));
        ClientState? Remember(ClientState current, IReadOnlyList<TimedVersion> versions, VerifiedHead head,
            Reason? handover, ulong proven)
        {
            Own now = current.OwnOf(chain) ?? seen;
            moved = !IsAt(now, seen);
            now = isKnown && !goesOn ? OwnRules.SeeAgain(now, head.Period, versions, CoverageOf(current).First ?? 0) : now;
            Own after = OwnRules.Look(now, head.Period, head.Epoch, versions, handover);
            // If another call has advanced the key's state, store only the head. The caller then starts again from the newer state.
            return moved
                ? current
                : PeriodEnds.Tidy(current.SetOwn(chain, after with { At = after.At! with { ProvenEpoch = proven }, IsListedOnly = false }));
        }
        var question = new VersionsQuestion(
            IsMonitor: true,
            goesOn ? KnownVersion.BeforeOwner(at) : default,
            asked is null ? default : asked.Encode(),
            // The key may belong to a device of a user who has left. The log makes no copy of such a key, so there is no copy to compare
            // with an end state.
            before is null || PersonRules.HasLeft(state, name.Id) ? null : OwnRules.EndOf(seen, before))
        {
            Proven = before is not null ? before.Epoch + 1 : goesOn && at.Version > 0 ? at.ProvenEpoch ?? 0 : null,
        };
        return (await RunAsync(name, question, Remember, cancellationToken).ConfigureAwait(false), moved);
    }

    private static bool IsAt(Own now, Own seen) =>
        (now.At?.Period ?? 0, now.At?.Version ?? 0) == (seen.At?.Period ?? 0, seen.At?.Version ?? 0);
}
