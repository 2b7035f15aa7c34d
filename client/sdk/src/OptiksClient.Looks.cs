using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    // Looks at a subject in all periods from the one in which the owner continues to the current one. Step 1 of a hand-over asks for the
    // versions up to the end of a period. Step 2 asks for the versions of the next period. Returns the outcome of the last question.
    private async Task<Outcome> LookAsync(
        LookSubject subject, List<Look> looks, IProgress<int>? progress, CancellationToken cancellationToken)
    {
        while (true)
        {
            ClientState state = _store.Current;
            EpochRecord? end = subject.GoesOnFrom(state) is { } from ? state.EndOf(from) : null;
            bool isVerified = end is not null && state.OwnOf(subject.Chain) is { } own && OwnRules.IsVerifiedTo(own, end);
            EpochRecord? asked = isVerified ? state.EndOf(end!.Period + 1) : end;
            if (asked is not null && subject.WasHidden(state, _store, asked))
            {
                GoOn(subject, state, current => subject.BeginAfter(current, asked, CoverageOf(current)));
                continue;
            }
            bool moved = false;
            ClientState Remember(ClientState current, ShownVersions shown)
            {
                // If another call has advanced the owner's cursor, store only what any client remembers. The loop then starts again from
                // the newer state.
                moved = !subject.IsSameAt(current, state);
                return moved ? current : LookRules.Apply(subject.Claim(current), shown, CoverageOf(current).First ?? 0);
            }
            try
            {
                (Outcome<VersionsExchange.Learnt> outcome, ShownVersions? shown) = await RunAsync(
                    subject.OwnPages(state, isVerified ? end : null, asked, CoverageOf(state)), Remember, progress, cancellationToken)
                    .ConfigureAwait(false);
                if (moved || outcome.IsOvertaken)
                {
                    continue;
                }
                if (shown is not null)
                {
                    looks.Add(new Look(shown, state));
                }
                if (shown is null || asked is null)
                {
                    return outcome;
                }
            }
            catch (OptiksServerException e) when (asked is not null && IsEndMissing(e))
            {
                // If the user has left, the client believes the server's report of an erased value without further checks.
                if (e.Problem != ProblemNames.Erased || !subject.HasLeft(_store.Current))
                {
                    await ThrowUnlessMissingAsync(
                        e, asked.Period, next => HasErasedCopyAsync(subject, next, cancellationToken), cancellationToken)
                        .ConfigureAwait(false);
                }
                GoOn(subject, state, current => subject.Miss(current, asked));
            }
        }
    }

    // Moves the owner's cursor, unless another call has moved it in the meantime.
    private void GoOn(LookSubject subject, ClientState seen, Func<ClientState, ClientState> move) =>
        _store.TryUpdate(current => subject.IsSameAt(current, seen) ? move(current) : current, []);

    private async Task<bool> HasErasedCopyAsync(LookSubject subject, ulong period, CancellationToken cancellationToken)
    {
        (_, ShownVersions? shown) = await ReadPeriodAsync(subject, period, null, cancellationToken).ConfigureAwait(false);
        return shown is not null
            && shown.Chains.Values.Any(chain => chain.Ended.Versions is [{ Version: { IsCopy: true, Value: null } }, ..]);
    }

    // Reads all versions that a subject had in one period. The outcome may be that of a question about periods.
    private async Task<(Outcome Outcome, ShownVersions? Shown)> ReadPeriodAsync(
        LookSubject subject, ulong period, IProgress<int>? progress, CancellationToken cancellationToken)
    {
        (Outcome<IReadOnlyList<byte[]>> periods, byte[]? ended) = await FindEndAsync(period, cancellationToken).ConfigureAwait(false);
        return periods.Reason != Reason.Valid ? (periods, null)
            : ended is not null || periods.Head!.Period == period
                ? await ReadAsync(subject, ended, progress, cancellationToken).ConfigureAwait(false)
            : throw NotBegun(period, periods.Head.Period);
    }

    // Reads all versions of the current period, or, if `endedRecord` is not empty, of the period that ended with that record.
    private async Task<(Outcome Outcome, ShownVersions? Shown)> ReadAsync(
        LookSubject subject, ReadOnlyMemory<byte> endedRecord, IProgress<int>? progress, CancellationToken cancellationToken)
    {
        while (true)
        {
            (Outcome<VersionsExchange.Learnt> outcome, ShownVersions? shown) =
                await RunAsync(subject.AllPages(endedRecord), (current, _) => current, progress, cancellationToken).ConfigureAwait(false);
            if (!outcome.IsOvertaken)
            {
                return (outcome, shown);
            }
        }
    }

    // Reads all pages of the answer to one question, and updates the state once, after the last page.
    private async Task<(Outcome<VersionsExchange.Learnt> Outcome, ShownVersions? Shown)> RunAsync(
        VersionsPages pages, Func<ClientState, ShownVersions, ClientState> remember, IProgress<int>? progress,
        CancellationToken cancellationToken)
    {
        long started = _time.GetTimestamp();
        while (true)
        {
            Outcome<VersionsExchange.Learnt> outcome =
                await _exchanger.RunAsync(new VersionsExchange(pages, remember), cancellationToken).ConfigureAwait(false);
            if (outcome.Learnt is not { Result: null } learnt)
            {
                return (outcome, outcome.Learnt?.Result!.Shown);
            }
            pages.Add(learnt.Page);
            progress?.Report(pages.Count);
            RequireEnd(pages.Count, pages.Octets, started);
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

    // Returns the periods whose end was verified, and after which the next period began with true copies.
    private static IReadOnlyList<ulong> HandedOver(List<Look> looks) =>
        [.. looks.Where(look => look.Shown.IsHandedOver).Select(look => look.Shown.Period - 1)];

    // A result of a look, with the client's state as it was before the result.
    private sealed record Look(ShownVersions Shown, ClientState Before)
    {
        // Returns the versions of a chain that no earlier look showed. Servers may show known versions again.
        public IEnumerable<KeyVersion> NewVersions(StructureKey chain) => Shown.VersionsAfter(
            chain, Before.OwnOf(chain)?.At is { } at && at.Period == Shown.Period ? at.Version : 0);
    }
}
