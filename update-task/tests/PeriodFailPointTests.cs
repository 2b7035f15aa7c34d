using Optiks.Storage;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>
/// Tests kill -9 at every labelled step of periods that follow each other by the clock. The next start continues, and nothing is lost or
/// doubled.
/// </summary>
public abstract class PeriodFailPointTests
{
    private static readonly string[] s_settings =
        ["--Optiks:Log:PeriodLength=00:00:01", "--Optiks:Log:RetainedPeriods=2", "--Optiks:Periods:CopiesPerChunk=2"];

    private static async Task KillInOrderAsync(IEnumerable<string> points)
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        int round = 0;
        foreach (string point in points)
        {
            round++;
            await updates.AcceptAsync(Updates.Request(Updates.Item("alice", $"a{round}"), Updates.Item($"key {round}", "value")));
            await updates.AcceptAsync(UserUpdate.Of($"user {round}").Create($"name {round}").AddDevice($"device {round}", "value").Request());
            if (round > 1)
            {
                await updates.AcceptAsync(UserUpdate.Of($"user {round - 1}").Decommission().Request());
            }
            await using TaskProcess task = TaskProcess.Start(folder, point, s_settings);
            int code = await task.ExitAsync();
            Assert.True(code == TaskProcess.Killed, $"{point}: exit code {code}: {task.Output}");
        }
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            do
            {
                await task.StepAsync();
            }
            while (await task.Store.CountPendingAsync(TestContext.Current.CancellationToken) > 0);
            while (await task.WorkAsync())
            {
                // Each call destroys one piece of the remaining data.
            }
            Assert.NotEqual(0UL, task.Session.Period.Period);
        }
        // Values of the first periods are destroyed, but the status of each update still gives its result.
        await HistoryCheck.RunAsync(folder);
        foreach (AcceptRequest request in updates.Accepted)
        {
            Assert.Equal(RequestState.Published, (await updates.StatusAsync(request)).State);
        }
    }

    public sealed class Forward : PeriodFailPointTests
    {
        [Fact]
        public Task Killed_one_step_further_each_time() => KillInOrderAsync(FailPoints.OfPeriods);
    }

    public sealed class Backward : PeriodFailPointTests
    {
        [Fact]
        public Task Killed_one_step_earlier_each_time() => KillInOrderAsync(FailPoints.OfPeriods.Reverse());
    }
}
