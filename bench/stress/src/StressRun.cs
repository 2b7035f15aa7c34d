using Optiks.Protocol;
using Optiks.Stress.Load;
using Optiks.Stress.Output;
using Optiks.Stress.Settling;
using Optiks.Stress.Traffic;

namespace Optiks.Stress;

/// <summary>Executes one run: contacts the services, sends the load, and follows the accepted updates to their publication.</summary>
internal static class StressRun
{
    /// <summary>
    /// Executes the run and returns its results. Throws <see cref="StressException"/> if a service cannot be reached at the start. If the
    /// caller cancels, the load ends, and the method still follows the accepted updates before it returns.
    /// </summary>
    public static async Task<RunResult> RunAsync(
        TargetOptions target, RunOptions options, ILiveView view, TimeProvider time, CancellationToken cancellationToken)
    {
        using var connection = new Target(target, time);
        var views = new Views(target.Anchor, target.QueryUrls.Count, time);
        var findings = new Findings();
        var ledger = new Ledger();
        var sessions = new VerifyingSessions(target, connection, views);
        var watcher = new EpochWatcher(target, sessions, findings, time);
        for (int i = 0; i < target.QueryUrls.Count; i++)
        {
            if (await watcher.ContactAsync(i, views, cancellationToken) is { } error)
            {
                throw new StressException($"{target.QueryUrls[i].Authority} gives no head that verifies: {error}.",
                    error == "invalid" ? ExitCodes.Invalid : ExitCodes.Unreachable);
            }
        }
        ulong lastBefore = views.Latest;
        var recorder = new Recorder(options.WarmUp, options.Window);
        var operations = new Operations(target, connection, sessions, views, findings, ledger, time);
        // The contents of requests and their times are drawn with separate random generators from the user's seed. Therefore a change of
        // the contents does not change the times.
        var planner = new Planner(options, target.Keys, target.QueryUrls.Count, target.UpdateUrls.Count, new Random(options.Seed));
        using var runner = new LoadRunner(
            options, target.MaxInFlight, planner, operations.RunAsync, recorder, new Random(options.Seed + 1));
        DateTimeOffset started = time.GetUtcNow();
        long start = time.GetTimestamp();
        long measuredFrom = start + (long)(options.WarmUp * time.TimestampFrequency);
        IReadOnlyList<Stage> stages;
        Settlement? settlement = null;
        using (var end = new CancellationTokenSource())
        {
            // The program watches for new epochs until the outcome of the last update is known.
            Task watching = watcher.FollowAsync(end.Token);
            try
            {
                stages = await OfferAsync();
                if (options.Mix.Updates)
                {
                    settlement = await new Settler(target, connection, views, time).SettleAsync(
                        ledger, lastBefore, measuredFrom, options.SettleSeconds, options.FollowShare, options.CheckKeys, view.Say,
                        CancellationToken.None);
                }
            }
            finally
            {
                await end.CancelAsync();
                await watching;
            }
        }
        return recorder.Read((kinds, seconds) => new RunResult
        {
            Target = target,
            Options = options,
            Started = started,
            Measured = stages.Sum(stage => stage.End - stage.Start),
            Kinds = kinds,
            Seconds = seconds,
            Stages = stages,
            Windows = recorder.Windows,
            VersionsBefore = views.Versions(lastBefore),
            Epochs = [.. views.Epochs.Where(epoch => epoch.Epoch > lastBefore)
                .Select(
                    epoch => new EpochShown(epoch.Epoch, EpochRecord.ReadPeriod(views.Record(epoch.Epoch)),
                        time.GetElapsedTime(start, epoch.Seen).TotalSeconds, views.Versions(epoch.Epoch)))],
            Findings = findings,
            Settlement = settlement,
        });

        async Task<IReadOnlyList<Stage>> OfferAsync()
        {
            using var ended = new CancellationTokenSource();
            Task viewing = view.FollowAsync(runner, recorder, findings, views, ledger, ended.Token);
            try
            {
                return await runner.RunAsync(cancellationToken);
            }
            finally
            {
                await ended.CancelAsync();
                await viewing;
            }
        }
    }
}
