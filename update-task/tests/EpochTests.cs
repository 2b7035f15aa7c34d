using Optiks.Storage;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>What an epoch holds, and when there is one.</summary>
public sealed class EpochTests
{
    [Fact]
    public async Task Updates_are_published_and_the_history_checks_out()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await updates.AcceptAsync("alice", "a1");
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await task.StepAsync();
            await updates.AcceptAsync(Updates.Request(Updates.Item("alice", "a2"), Updates.Item("bob", "b1")));
            await task.StepAsync();
            Assert.Equal(2UL, task.Session.Last.Epoch);
        }
        RequestStatus first = await updates.StatusAsync(updates.Accepted[0]);
        Assert.Equal((RequestState.Published, 1UL, 1UL), (first.State, first.Epoch, first.Items[0].Version));
        RequestStatus second = await updates.StatusAsync(updates.Accepted[1]);
        Assert.Equal([2UL, 1UL], second.Items.Select(item => item.Version));
    }
}
