using Optiks.Stress.Load;
using Optiks.Stress.Output;
using Optiks.Stress.Settling;
using Optiks.Stress.Traffic;

namespace Optiks.Stress;

/// <summary>StressRun is one run: contact, load, settlement.</summary>
internal static class StressRun
{
    /// <summary>RunAsync throws <see cref="StressException"/> when a service cannot be reached at the start. Cancelling ends the load, and what was accepted is still followed.</summary>
    public static async Task<RunResult> RunAsync(TargetOptions target, RunOptions options, ILiveView view, TimeProvider time, CancellationToken cancellationToken)
    {
        using var connection = new Target(target, time);
        var views = new Views(target.Anchor, target.QueryUrls.Count, time);
        var findings = new Findings();
        var ledger = new Ledger();
        var watcher = new EpochWatcher(target, connection, views, findings, time);
        for (int i = 0; i < target.QueryUrls.Count; i++)
        {
            if (await watcher.ReadAsync(i, cancellationToken) is { } error)
            {
                throw new StressException($"{target.QueryUrls[i].Authority} gives no head that verifies: {error}.", error == "invalid" ? ExitCodes.Invalid : ExitCodes.Unreachable);
            }
        }
        ulong lastBefore = views.Latest;
        var recorder = new Recorder(options.WarmUp);
        var operations = new Operations(target, connection, views, findings, ledger, time);
        using var runner = new LoadRunner(options, target.MaxInFlight, new Planner(options, target, new Random(options.Seed)), operations, recorder, new Random(options.Seed + 1));
        DateTimeOffset started = time.GetUtcNow();
        IReadOnlyList<Stage> stages;
        using (var end = new CancellationTokenSource())
        {
            Task watching = watcher.FollowAsync(end.Token);
            Task viewing = view.FollowAsync(runner, recorder, findings, views, ledger, end.Token);
            try
            {
                stages = await runner.RunAsync(cancellationToken);
            }
            finally
            {
                await end.CancelAsync();
                await Task.WhenAll(watching, viewing);
            }
        }
        Settlement? settlement = options.Mix.Updates
            ? await new Settler(target, connection, views, time).SettleAsync(ledger, lastBefore, options.SettleSeconds, options.CheckKeys, view.Say, CancellationToken.None)
            : null;
        return recorder.Read((kinds, seconds) => new RunResult
        {
            Target = target,
            Options = options,
            Started = started,
            Measured = stages.Sum(stage => stage.End - stage.Start),
            Kinds = kinds,
            Seconds = seconds,
            Stages = stages,
            Epochs = [.. views.Epochs.Where(epoch => epoch.Epoch > lastBefore).Select(epoch => (epoch.Epoch, (epoch.Seen - started).TotalSeconds))],
            Findings = findings,
            Settlement = settlement,
        });
    }
}
