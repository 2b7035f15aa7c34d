using System.CommandLine;
using Optiks.Stress.Load;
using Optiks.Stress.Traffic;

namespace Optiks.Stress.Tests;

public sealed class LoadRunnerTests
{
    [Fact]
    public async Task Latency_holds_the_whole_time_from_the_intended_start()
    {
        (Recorder recorder, IReadOnlyList<Stage> stages) = await RunAsync(["--rate", "100"], maxInFlight: 100, milliseconds: 30);
        KindTotals totals = recorder.Read((kinds, _) => kinds["hit"]);
        Assert.Equal(100, totals.Answered);
        Assert.Equal(0, totals.NotSent);
        Assert.True(totals.Latency.Percentile(1) >= 29_999, $"{totals.Latency.Percentile(1)} us");
        Assert.Single(stages);
    }

    [Fact]
    public async Task What_finds_no_room_in_time_is_counted_and_waiting_is_latency()
    {
        (Recorder recorder, _) = await RunAsync(["--rate", "100", "--late", "0.1"], maxInFlight: 1, milliseconds: 50);
        KindTotals totals = recorder.Read((kinds, _) => kinds["hit"]);
        Assert.Equal(100, totals.Answered + totals.NotSent);
        Assert.True(totals.NotSent > 20, $"{totals.NotSent} of 100 were not sent");
        Assert.True(totals.Latency.Max >= 90_000, $"{totals.Latency.Max} us");
    }

    [Fact]
    public async Task A_ramp_ends_with_the_first_saturated_stage()
    {
        (_, IReadOnlyList<Stage> stages) = await RunAsync(
            ["--rate", "10", "--ramp", "10", "--stage", "2", "--duration", "20", "--late", "0.1", "--limit-p99", "10000"], maxInFlight: 1,
            milliseconds: 20);
        Assert.Equal([false, true], stages.Select(stage => stage.Saturated));
        Assert.Equal([10.0, 100.0], stages.Select(stage => stage.Rate));
    }

    [Fact]
    public async Task A_stage_lasts_its_time_however_few_arrivals_it_has()
    {
        (_, IReadOnlyList<Stage> stages) = await RunAsync(["--rate", "1.2"], maxInFlight: 1, milliseconds: 1);
        Assert.Equal(1, Assert.Single(stages).End, 6);
    }

    [Fact]
    public async Task Requests_that_are_still_out_make_a_stage_slow()
    {
        // No request is answered before its stage ends, and the maximum number of requests in flight is not reached. If the latency did not
        // count unanswered requests, the stage would look idle and not slow.
        (_, IReadOnlyList<Stage> stages) = await RunAsync(
            ["--rate", "20", "--ramp", "2", "--stage", "2", "--duration", "8", "--limit-p99", "500"], maxInFlight: 1000,
            milliseconds: 3000);
        Assert.True(Assert.Single(stages).Saturated);
    }

    [Fact]
    public async Task A_fault_of_the_tester_ends_the_run()
    {
        InvalidOperationException e =
            await Assert.ThrowsAsync<InvalidOperationException>(() => RunAsync(["--rate", "20"], maxInFlight: 10, milliseconds: -2));
        Assert.IsType<ArgumentOutOfRangeException>(e.InnerException);
    }

    private static async Task<(Recorder Recorder, IReadOnlyList<Stage> Stages)> RunAsync(string[] args, int maxInFlight, int milliseconds)
    {
        var arguments = new RunArguments();
        var root = new RootCommand();
        arguments.AddTo(root);
        string[] all = ["--mix", "hit=1", "--arrivals", "constant", "--warm-up", "0",
            .. args.Contains("--duration") ? args : [.. args, "--duration", "1"]];
        RunOptions options = arguments.Read(root.Parse(all));
        var recorder = new Recorder(0);
        // The contents and the times of requests have separate fixed seeds, so that both are the same in every run.
        var planner = new Planner(options, new KeySpace("k", 10, 0, 10), replicas: 1, updateServices: 1, new Random(1));
        // The loop waits until the answer has taken the whole time, because timers may end some milliseconds early.
        LoadRunner.Sender send = async (planned, now, token) =>
        {
            double sent = now();
            await Task.Delay(milliseconds, token);
            return (new RequestOutcome(null, 1, 0), Math.Max(now(), sent + (milliseconds / 1e3)));
        };
        using var runner = new LoadRunner(options, maxInFlight, planner, send, recorder, new Random(2));
        return (recorder, await runner.RunAsync(TestContext.Current.CancellationToken));
    }
}
