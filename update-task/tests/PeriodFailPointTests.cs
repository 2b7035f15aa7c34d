using Optiks.Storage;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>
/// Tests that the task recovers from kill -9 at every fail point of periods, in a log whose periods follow each other quickly. The next
/// start must continue where the killed task stopped, and no data may be lost or stored twice.
/// </summary>
[Trait("Level", "Deep")]
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
            await updates.AcceptAsync(
                UserUpdate.Of($"user {round}").Create($"name {round}").AddDevice($"device {round}", "value").Request());
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
                // Each call of WorkAsync does one piece of the work, such as destroying a piece of an old period's data.
            }
            Assert.NotEqual(0UL, task.Session.Period.Period);
        }
        // The values of the first periods are destroyed, but the status of each update must still give its result.
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
