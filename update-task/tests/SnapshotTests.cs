using System.Diagnostics;
using Optiks.Tests.Shared;
using Optiks.UpdateTask.Pipeline;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>
/// Tests starting from a snapshot of the trees, and refusing a snapshot that does not belong to the log. A start that uses the snapshot
/// continues the snapshot's leaf log; any other start makes a new leaf log. The tests see by the leaf log whether the snapshot was used.
/// </summary>
public sealed class SnapshotTests
{
    [Fact]
    public async Task A_task_goes_on_from_what_it_saved_when_it_stopped()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await RunAsync(folder, updates, "a1", save: true);
        byte[] log = LogIdentity(folder);
        // The next run publishes an update and saves no snapshot when it ends. The run after it must start from the older snapshot.
        await RunAsync(folder, updates, "a2", save: false);
        await RunAsync(folder, updates, "a3", save: true);
        Assert.Equal(log, LogIdentity(folder));
        await RunAsync(folder, updates, "a4", save: false);
        Assert.Equal(log, LogIdentity(folder));
        Assert.Equal(4UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Fact]
    public async Task A_damaged_snapshot_is_not_used()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await RunAsync(folder, updates, "a1", save: true);
        byte[] log = LogIdentity(folder);
        await FileDamage.FlipAsync(Path.Combine(folder.Data.Task, "snapshot"), ^60);
        await RunAsync(folder, updates, "a2", save: true);
        Assert.NotEqual(log, LogIdentity(folder));
        Assert.Equal(2UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Fact]
    public async Task A_snapshot_of_another_log_is_not_used()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        await RunAsync(folder, new Updates(folder), "a1", save: true);
        using TestFolder other = await TestFolder.CreateAsync();
        var updates = new Updates(other);
        await RunAsync(other, updates, "b1", save: true);
        foreach (string name in (string[])["snapshot", "leaves"])
        {
            File.Copy(Path.Combine(folder.Data.Task, name), Path.Combine(other.Data.Task, name), overwrite: true);
        }
        byte[] log = LogIdentity(other);
        await RunAsync(other, updates, "b2", save: false);
        Assert.NotEqual(log, LogIdentity(other));
        Assert.Equal(2UL, await HistoryCheck.RunAsync(other, updates));
    }

    [Fact]
    public async Task A_second_task_leaves_the_first_ones_files_alone()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await RunAsync(folder, updates, "a1", save: true);
        byte[] log = LogIdentity(folder);
        using (TaskFolder? taken = TaskFolder.TryOpen(folder.Data))
        {
            Assert.NotNull(taken);
            Assert.Null(TaskFolder.TryOpen(folder.Data));
            await RunAsync(folder, updates, "a2", save: true);
        }
        await RunAsync(folder, updates, "a3", save: true);
        Assert.Equal(log, LogIdentity(folder));
        Assert.Equal(3UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Fact]
    public async Task Nobody_else_gets_the_folder_while_a_snapshot_is_being_saved()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        TaskHost task = await TaskHost.StartAsync(folder);
        // The test makes a named pipe in place of the file into which the task writes its new snapshot. The task cannot finish saving until
        // the test opens the pipe for reading.
        string pipe = Path.Combine(folder.Data.Task, "snapshot.new");
        using (Process made = Process.Start("mkfifo", [pipe]))
        {
            await made.WaitForExitAsync(TestContext.Current.CancellationToken);
            Assert.Equal(0, made.ExitCode);
        }
        await new Updates(folder).AcceptAsync("alice", "a1");
        await task.StepAsync();
        var ended = task.DisposeAsync().AsTask();
        await Task.Delay(300, TestContext.Current.CancellationToken);
        Assert.False(ended.IsCompleted);
        Assert.Null(TaskFolder.TryOpen(folder.Data));
        await using (FileStream reader = File.OpenRead(pipe))
        {
            await reader.CopyToAsync(Stream.Null, TestContext.Current.CancellationToken);
        }
        await ended;
        using TaskFolder? next = TaskFolder.TryOpen(folder.Data);
        Assert.NotNull(next);
    }

    // Publishes one update.
    private static async Task RunAsync(TestFolder folder, Updates updates, string value, bool save)
    {
        await using TaskHost task = await TaskHost.StartAsync(folder);
        if (task.Session.Unfinished is not null)
        {
            await task.StepAsync();
        }
        ulong before = task.Session.Last.Epoch;
        await updates.AcceptAsync("alice", value);
        await task.StepAsync();
        Assert.Equal(before + 1, task.Session.Last.Epoch);
        if (save)
        {
            await task.Session.FinishAsync(TestContext.Current.CancellationToken);
        }
    }

    // Returns the random bytes that identify a leaf log. They follow the file's magic number.
    private static byte[] LogIdentity(TestFolder folder) => File.ReadAllBytes(Path.Combine(folder.Data.Task, "leaves"))[8..24];
}
