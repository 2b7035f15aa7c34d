using Optiks.Protocol;
using Optiks.Stress.Load;
using Optiks.Stress.Output;
using Optiks.Stress.Settling;
using Optiks.Stress.Traffic;

namespace Optiks.Stress;

/// <summary>Executes one run: contacts the services, offers the load, and settles the updates.</summary>
internal static class StressRun
{
    /// <summary>
    /// Executes the run. Throws <see cref="StressException"/> when a service cannot be reached at the start. If the caller cancels, the
    /// load ends, and the run still follows the accepted updates.
    /// </summary>
    public static async Task<RunResult> RunAsync(TargetOptions target, RunOptions options, ILiveView view, TimeProvider time, CancellationToken cancellationToken)
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
                throw new StressException($"{target.QueryUrls[i].Authority} gives no head that verifies: {error}.", error == "invalid" ? ExitCodes.Invalid : ExitCodes.Unreachable);
            }
        }
        ulong lastBefore = views.Latest;
        var recorder = new Recorder(options.WarmUp, options.Window);
        var operations = new Operations(target, connection, sessions, views, findings, ledger, time);
        // Two streams of numbers from the user's seed: a change to the contents of requests leaves their times as they are.
        var planner = new Planner(options, target.Keys, target.QueryUrls.Count, target.UpdateUrls.Count, new Random(options.Seed));
        using var runner = new LoadRunner(options, target.MaxInFlight, planner, operations.RunAsync, recorder, new Random(options.Seed + 1));
        DateTimeOffset started = time.GetUtcNow();
        long start = time.GetTimestamp();
        long measuredFrom = start + (long)(options.WarmUp * time.TimestampFrequency);
        IReadOnlyList<Stage> stages;
        Settlement? settlement = null;
        using (var end = new CancellationTokenSource())
        {
            // Watch for new epochs until the last update is settled.
            Task watching = watcher.FollowAsync(end.Token);
            try
            {
                stages = await OfferAsync();
                if (options.Mix.Updates)
                {
                    settlement = await new Settler(target, connection, views, time).SettleAsync(
                        ledger, lastBefore, measuredFrom, options.SettleSeconds, options.FollowShare, options.CheckKeys, view.Say, CancellationToken.None);
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
                .Select(epoch => new EpochShown(epoch.Epoch, EpochRecord.ReadPeriod(views.Record(epoch.Epoch)), time.GetElapsedTime(start, epoch.Seen).TotalSeconds, views.Versions(epoch.Epoch)))],
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
