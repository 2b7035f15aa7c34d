using Optiks.Storage;
using Optiks.Tests.Shared;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>
/// Tests that the task recovers from kill -9 at every fail point. In one order of the fail points, each started task finds the state that
/// the previous kill left, and is killed one step later. In the reverse order, each started task first completes the step at which its
/// predecessor was killed, and is then killed in a new epoch.
/// </summary>
public abstract class FailPointTests
{
    // The fail points of epochs. The fail points of periods need a log with short periods, so the class PeriodFailPointTests tests them.
    private static readonly IReadOnlyList<string> s_points = FailPoints.OfEpochs;

    private static async Task KillInOrderAsync(IEnumerable<string> points)
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        int round = 0;
        foreach (string point in points)
        {
            round++;
            await updates.AcceptAsync(Updates.Request(Updates.Item("alice", $"a{round}"), Updates.Item($"key {round}", "value")));
            await updates.AcceptAsync("bob", $"b{round}");
            await updates.AcceptAsync(OfUsers(round - 1));
            await using TaskProcess task = TaskProcess.Start(folder, point);
            int code = await task.ExitAsync();
            Assert.True(code == TaskProcess.Killed, $"{point}: exit code {code}: {task.Output}");
        }
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await FinishAsync(task);
        }
        await HistoryCheck.RunAsync(folder, updates);
    }

    // Returns the requests about users of one round. In five successive rounds, a user is created, gets a username, replaces a device,
    // changes the device's value, and leaves. Each kind of request therefore meets each fail point in one of the two orders. The last
    // request of each round must be refused.
    private static AcceptRequest[] OfUsers(int round)
    {
        UserUpdate alice = UserUpdate.Of($"alice {round / 5}");
        string device = $"device {round / 5}.";
        AcceptRequest request = (round % 5) switch
        {
            0 => alice.Create($"name {round}").AddDevice($"{device}0", "first").Request(),
            1 => alice.AddUsername($"name {round}").Request(),
            2 => alice.AddDevice($"{device}1", "second").RemoveDevice($"{device}0").Request(),
            3 => alice.SetDevice($"{device}1", "third").Request(),
            _ => alice.Decommission().Request(),
        };
        return [request, UserUpdate.Of($"nobody {round}").SetDevice($"nothing {round}", "").Request()];
    }

    private static async Task FinishAsync(TaskHost task)
    {
        do
        {
            await task.StepAsync();
        }
        while (await task.Store.CountPendingAsync(TestContext.Current.CancellationToken) > 0);
    }

    public sealed class Forward : FailPointTests
    {
        [Fact]
        public Task Killed_one_step_further_each_time() => KillInOrderAsync(s_points);
    }

    public sealed class Backward : FailPointTests
    {
        [Fact]
        public Task Killed_some_steps_earlier_each_time()
        {
            int steps = Rounds.Of(3, 1);
            return KillInOrderAsync(s_points.Reverse().Where((point, i) => point != FailPoints.GenesisKey && i % steps == 0));
        }
    }

    public sealed class Names : FailPointTests
    {
        [Fact]
        public async Task A_name_that_is_no_point_is_refused()
        {
            using TestFolder folder = await TestFolder.CreateAsync();
            await using TaskProcess task = TaskProcess.Start(folder, "comit");
            Assert.Equal(ExitCodes.Configuration, await task.ExitAsync());
            Assert.Contains("names no fail point", task.Output, StringComparison.Ordinal);
        }
    }
}
