using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>
/// Tests a task that starts with the state that another task left. It must continue the same log, or refuse to start and say what to do.
/// </summary>
public sealed class RestartTests
{
    [Fact]
    public async Task A_restarted_task_has_the_same_trees_and_goes_on()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        StructureState[] before;
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await PublishAsync(task, updates, 3);
            before = task.Session.Directory.States(out _);
        }
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            Assert.Equal(before, task.Session.Directory.States(out ulong epoch));
            Assert.Equal(3UL, epoch);
            await PublishAsync(task, updates, 2);
        }
        Assert.Equal(5UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Fact]
    public async Task A_period_that_is_made_ahead_changes_nothing()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await PublishAsync(task, updates, 1);
            // The test begins the next period in the database, with secrets that cannot be unwrapped. A period that is not current yet must
            // not disturb the epochs of the current period.
            _ = await task.Store.BeginPeriodAsync(task.Keeper.Lease, 1, "no secrets"u8.ToArray(), TestContext.Current.CancellationToken);
            await PublishAsync(task, updates, 1);
        }
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await PublishAsync(task, updates, 1);
        }
        Assert.Equal(3UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Fact]
    public async Task An_epoch_that_says_it_begins_a_period_and_does_not_is_refused()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        CancellationToken cancel = TestContext.Current.CancellationToken;
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await PublishAsync(task, new Updates(folder), 1);
            EpochRow last = task.Session.Last;
            _ = await task.Store.BeginPeriodAsync(task.Keeper.Lease, 1, "no secrets"u8.ToArray(), cancel);
            var row = new EpochRow(last.Epoch + 1, last.Record, new byte[32], default);
            var commit = new EpochCommit(row, last.RecordHash, 1, LeafBatch.Empty, []) { Switch = new PeriodSwitch(1, 0) };
            Assert.Equal(CommitResult.Committed, await task.Store.CommitEpochAsync(task.Keeper.Lease, commit, cancel));
        }
        StartupException e = await Assert.ThrowsAsync<StartupException>(() => TaskHost.StartAsync(folder));
        Assert.Equal(ExitCodes.Rollback, e.ExitCode);
    }

    [Fact]
    public async Task An_older_copy_of_the_database_is_exit_4_and_the_newest_goes_on()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        string database = folder.Data.Database;
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await PublishAsync(task, updates, 2);
        }
        TestFolder.CopyDatabase(database, database + ".old");
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await PublishAsync(task, updates, 2);
        }
        TestFolder.CopyDatabase(database, database + ".new");
        TestFolder.CopyDatabase(database + ".old", database);
        string[] boardBefore = BoardFiles(folder);
        await using (TaskProcess task = TaskProcess.Start(folder))
        {
            Assert.Equal(ExitCodes.Rollback, await task.ExitAsync());
            Assert.Contains("optiks: The database ends at epoch 2, but epoch 4 was signed already. This is an older copy of the database",
                task.Output, StringComparison.Ordinal);
            Assert.Contains("Put the newest copy of the database back", task.Output, StringComparison.Ordinal);
        }
        Assert.Equal(boardBefore, BoardFiles(folder));

        TestFolder.CopyDatabase(database + ".new", database);
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await PublishAsync(task, updates, 1);
        }
        Assert.Equal(5UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Theory]
    [InlineData("board/state/high-water", true)]
    [InlineData("board/state/bundles", true)]
    [InlineData("board/state", false)]
    [InlineData("board", false)]
    public async Task A_lost_high_water_mark_is_taken_from_the_bundles_and_refused_without_both(string lost, bool goesOn)
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await PublishAsync(task, updates, 2);
        }
        Lose(folder, lost);
        if (goesOn)
        {
            await using (TaskHost task = await TaskHost.StartAsync(folder))
            {
                await PublishAsync(task, updates, 1);
            }
            Assert.Equal(3UL, await HistoryCheck.RunAsync(folder, updates));
        }
        else
        {
            StartupException refused = await Assert.ThrowsAsync<StartupException>(() => TaskHost.StartAsync(folder));
            Assert.Equal(ExitCodes.Rollback, refused.ExitCode);
            Assert.Contains("high-water is missing", refused.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task An_older_copy_of_the_boards_state_alone_is_exit_4_and_the_newest_goes_on()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        string state = new BoardFolder(folder.Data).State;
        Dictionary<string, byte[]> old;
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await PublishAsync(task, updates, 1);
            old = Contents(state);
            await PublishAsync(task, updates, 1);
        }
        Dictionary<string, byte[]> newest = Contents(state);
        Replace(state, old);
        StartupException refused = await Assert.ThrowsAsync<StartupException>(() => TaskHost.StartAsync(folder));
        Assert.Equal(ExitCodes.Rollback, refused.ExitCode);
        Assert.Contains($"Epoch 2 was published, but {state} ends at epoch 1: an older copy of it was put back.", refused.Message,
            StringComparison.Ordinal);

        Replace(state, newest);
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await PublishAsync(task, updates, 1);
        }
        Assert.Equal(3UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Theory]
    [InlineData("missing")]
    [InlineData("empty")]
    [InlineData("cut")]
    [InlineData("another bit")]
    [InlineData("the one before")]
    public async Task A_damaged_newest_audit_proof_is_exit_4_and_is_made_again_with_the_board(string how)
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await PublishAsync(task, updates, 3);
        }
        string path = Path.Combine(new BoardFolder(folder.Data).Log, "audit", "003");
        byte[] whole = File.ReadAllBytes(path);
        switch (how)
        {
            case "missing":
                File.Delete(path);
                break;
            case "empty":
                File.WriteAllBytes(path, []);
                break;
            case "cut":
                File.WriteAllBytes(path, whole[..^1]);
                break;
            case "another bit":
                File.WriteAllBytes(path, [.. whole[..^1], (byte)(whole[^1] ^ 1)]);
                break;
            default:
                File.Copy(Path.Combine(Path.GetDirectoryName(path)!, "002"), path, overwrite: true);
                break;
        }
        StartupException refused = await Assert.ThrowsAsync<StartupException>(() => TaskHost.StartAsync(folder));
        Assert.Equal(ExitCodes.Rollback, refused.ExitCode);
        Assert.Contains(path, refused.Message, StringComparison.Ordinal);

        Lose(folder, "board/log");
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            Assert.Equal(whole, File.ReadAllBytes(path));
            await PublishAsync(task, updates, 1);
        }
        Assert.Equal(4UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Fact]
    public async Task A_lost_log_folder_is_made_again_from_the_database()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await PublishAsync(task, updates, 3);
        }
        string log = new BoardFolder(folder.Data).Log;
        Dictionary<string, byte[]> before = Contents(log);
        Lose(folder, "board/log");
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await task.StepAsync();
        }
        Dictionary<string, byte[]> after = Contents(log);
        // The rebuilt board may lack partial tiles of earlier sizes. Nothing else may differ.
        Assert.Equal(before["checkpoint"], after["checkpoint"]);
        Assert.All(after, file => Assert.Equal(before[file.Key], file.Value));
        Assert.Equal(before.Keys.Where(name => name.StartsWith("audit", StringComparison.Ordinal)).Order(),
            after.Keys.Where(name => name.StartsWith("audit", StringComparison.Ordinal)).Order());
        Assert.Equal(3UL, await HistoryCheck.RunAsync(folder, updates));
    }

    [Fact]
    public async Task An_older_copy_of_the_board_is_exit_4()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        string checkpoint = Path.Combine(new BoardFolder(folder.Data).Log, "checkpoint");
        await using TaskHost first = await TaskHost.StartAsync(folder);
        await PublishAsync(first, updates, 1);
        byte[] old = File.ReadAllBytes(checkpoint);
        await PublishAsync(first, updates, 1);
        await first.DisposeAsync();
        File.WriteAllBytes(checkpoint, old);
        StartupException refused = await Assert.ThrowsAsync<StartupException>(() => TaskHost.StartAsync(folder));
        Assert.Equal(ExitCodes.Rollback, refused.ExitCode);
        Assert.Contains("An older copy of the board was put back", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_empty_database_beside_a_board_never_becomes_a_new_log()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        using TestFolder other = await TestFolder.CreateAsync();
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await PublishAsync(task, new Updates(folder), 1);
        }
        TestFolder.CopyDatabase(other.Data.Database, folder.Data.Database);
        StartupException refused = await Assert.ThrowsAsync<StartupException>(() => TaskHost.StartAsync(folder));
        Assert.Equal(ExitCodes.Rollback, refused.ExitCode);
        Assert.Contains("The database has no epoch", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Another_logs_database_is_refused()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        using TestFolder other = await TestFolder.CreateAsync();
        foreach (TestFolder each in (TestFolder[])[folder, other])
        {
            await using TaskHost task = await TaskHost.StartAsync(each);
            await PublishAsync(task, new Updates(each), 2);
        }
        TestFolder.CopyDatabase(other.Data.Database, folder.Data.Database);
        StartupException refused = await Assert.ThrowsAsync<StartupException>(() => TaskHost.StartAsync(folder));
        Assert.Equal(ExitCodes.Rollback, refused.ExitCode);
        Assert.Contains("another record for epoch 2", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_wrong_key_encryption_key_is_exit_78_and_a_missing_trust_anchor_is_made_again()
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        using TestFolder other = await TestFolder.CreateAsync();
        foreach (TestFolder each in (TestFolder[])[folder, other])
        {
            await using TaskHost task = await TaskHost.StartAsync(each);
            await task.StepAsync();
        }
        byte[] key = File.ReadAllBytes(folder.Data.KeyEncryptionKey);
        File.WriteAllBytes(folder.Data.KeyEncryptionKey, File.ReadAllBytes(other.Data.KeyEncryptionKey));
        await using (TaskProcess task = TaskProcess.Start(folder))
        {
            Assert.Equal(ExitCodes.Configuration, await task.ExitAsync());
            Assert.Contains("put the right key back", task.Output, StringComparison.Ordinal);
        }
        File.WriteAllBytes(folder.Data.KeyEncryptionKey, key);
        byte[] anchor = File.ReadAllBytes(folder.Data.TrustAnchor);
        File.Delete(folder.Data.TrustAnchor);
        await using (TaskHost task = await TaskHost.StartAsync(folder))
        {
            await task.StepAsync();
        }
        Assert.Equal(anchor, File.ReadAllBytes(folder.Data.TrustAnchor));
    }

    [Theory]
    [InlineData("audit/001")]
    [InlineData("tile/0/000.p/2")]
    [InlineData("checkpoint")]
    public async Task Other_octets_on_the_board_stop_the_task_for_good(string path)
    {
        using TestFolder folder = await TestFolder.CreateAsync();
        var updates = new Updates(folder);
        await using TaskHost task = await TaskHost.StartAsync(folder);
        await task.StepAsync();
        string full = Path.Combine(new BoardFolder(folder.Data).Log, path);
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        File.WriteAllText(full, "other octets");
        await updates.AcceptAsync("alice", "a1");
        await Assert.ThrowsAsync<Tlog.BoardConflictException>(task.StepAsync);
        await task.DisposeAsync();

        await using TaskProcess process = TaskProcess.Start(folder);
        Assert.Equal(ExitCodes.Rollback, await process.ExitAsync());
        Assert.Contains("Published files never change", process.Output, StringComparison.Ordinal);
    }

    private static async Task PublishAsync(TaskHost task, Updates updates, int epochs)
    {
        await task.StepAsync();
        for (int i = 0; i < epochs; i++)
        {
            await updates.AcceptAsync(
                Updates.Request(Updates.Item("alice", $"a{updates.Accepted.Count}"),
                    Updates.Item($"key {updates.Accepted.Count}", "value")));
            await task.StepAsync();
        }
    }

    private static void Lose(TestFolder folder, string path)
    {
        string full = Path.Combine(folder.Data.Root, path);
        if (Directory.Exists(full))
        {
            Directory.Delete(full, recursive: true);
        }
        else
        {
            File.Delete(full);
        }
    }

    private static void Replace(string folder, Dictionary<string, byte[]> contents)
    {
        Directory.Delete(folder, recursive: true);
        foreach ((string name, byte[] octets) in contents)
        {
            string path = Path.Combine(folder, name);
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            File.WriteAllBytes(path, octets);
        }
    }

    private static string[] BoardFiles(TestFolder folder) =>
        [.. Contents(folder.Data.Board).Select(file => $"{file.Key} {Convert.ToHexString(file.Value)}").Order(StringComparer.Ordinal)];

    private static Dictionary<string, byte[]> Contents(string root) =>
        Directory.EnumerateFiles(root, "*", SearchOption.AllDirectories)
            .ToDictionary(path => Path.GetRelativePath(root, path), File.ReadAllBytes);
}
