using Microsoft.AspNetCore.Http;
using Optiks.Native;
using Optiks.Storage;
using Optiks.Tests.Shared;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Buckets;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Tests.Support;

namespace Optiks.UpdateTask.Tests;

/// <summary>
/// Tests tasks that share only the database and the bucket, but no folder. A task that takes over must rebuild its own folder, and no task
/// may sign a second history.
/// </summary>
[Trait("Level", "Deep")]
public sealed class NewHostTests : IAsyncLifetime
{
    private const string Mark = ".high-water";

    private readonly List<IDisposable> _folders = [];
    private TestBucket _bucket = null!;
    private TestFolder _first = null!;
    private Updates _updates = null!;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private BucketOptions Shared => Options(keepsMark: true);

    private string[] Settings => [.. _bucket.Settings, "--Optiks:Bucket:KeepsMark=true", _first.StorageSetting];

    public async ValueTask InitializeAsync()
    {
        _bucket = await TestBucket.StartAsync();
        _first = Keep(await TestFolder.CreateAsync());
        _updates = new Updates(_first);
    }

    public async ValueTask DisposeAsync()
    {
        await _bucket.DisposeAsync();
        _folders.ForEach(folder => folder.Dispose());
    }

    [Fact]
    public async Task A_folder_that_is_empty_or_behind_is_made_again_and_the_log_goes_on()
    {
        await PublishAsync(_first, 3);
        await CopyAsync(_first);
        TestFolder second = Keep(_first.OtherHost());
        await PublishAsync(second, 2);
        Assert.Equal(5UL, await HistoryCheck.RunAsync(second, _updates));
        await CopyAsync(second);
        // The first task's folder is out of date now, and its bundles may contain values that the second task has erased. When the first
        // task leads again, it must delete its old bundles.
        string bundle = Path.Combine(new BoardFolder(_first.Data).Bundles, EpochBundle.FileName(1));
        Assert.True(File.Exists(bundle));
        await PublishAsync(_first, 1);
        Assert.False(File.Exists(bundle));
        Assert.Equal(6UL, await HistoryCheck.RunAsync(_first, _updates));
        await CopyAsync(_first);
        // A third task must be able to start from a board folder that was copied from the bucket.
        TestFolder third = Keep(_first.OtherHost());
        foreach ((string key, TestBucket.Stored stored) in _bucket.Objects)
        {
            string path = Path.Combine(new BoardFolder(third.Data).Log, key);
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            await File.WriteAllBytesAsync(path, stored.Octets, Cancel);
        }
        await PublishAsync(third, 1);
        Assert.Equal(7UL, await HistoryCheck.RunAsync(third, _updates));
    }

    [Fact]
    public async Task An_epoch_that_a_killed_task_left_is_finished_on_another_host()
    {
        await PublishAsync(_first, 1);
        TestFolder host = _first;
        ulong last = 1;
        string[] points = ["bucket-mark", "high-water", "checkpoint"];
        foreach (string point in points.Take(Rounds.Of(1, points.Length)))
        {
            await _updates.AcceptAsync("alice", $"at {point}");
            await using (TaskProcess killed = TaskProcess.Start(host, point, Settings))
            {
                Assert.True(await killed.ExitAsync() == TaskProcess.Killed, killed.Output);
            }
            host = Keep(_first.OtherHost());
            await PublishAsync(host, 1);
            last += 2;
            Assert.Equal(last, await HistoryCheck.RunAsync(host, _updates));
        }
    }

    [Fact]
    public async Task Without_a_mark_in_the_bucket_an_empty_folder_is_none_to_go_on_from()
    {
        await PublishAsync(_first, 2, Options(keepsMark: false));
        await CopyAsync(_first);
        TestFolder second = Keep(_first.OtherHost());
        foreach (bool keepsMark in (bool[])[false, true])
        {
            Assert.Contains("high-water is missing", await RefusedAsync(second, options: Options(keepsMark)), StringComparison.Ordinal);
        }
        // The first task's folder has the high-water mark, so the first task may start. It writes the mark to the bucket, and then the
        // second task may start too.
        await PublishAsync(_first, 1);
        await PublishAsync(second, 1);
        Assert.Equal(4UL, await HistoryCheck.RunAsync(second, _updates));
    }

    [Fact]
    public async Task A_folder_of_another_log_is_refused_and_left_as_it_is()
    {
        await PublishAsync(_first, 3);
        TestFolder another = Keep(await TestFolder.CreateAsync());
        await using (TaskHost task = await TaskHost.StartAsync(another))
        {
            await task.StepAsync();
        }
        foreach (string part in (string[])["state", "log"])
        {
            TestFolder second = Keep(_first.OtherHost());
            string folder = Path.Combine(second.Data.Board, part);
            TestFolder.Copy(Path.Combine(another.Data.Board, part), folder);
            string[] before = Files(folder);
            if (part == "state")
            {
                Assert.Contains("names another record for epoch 0 than the database", await RefusedAsync(second), StringComparison.Ordinal);
            }
            else
            {
                // The start fails because the board's checkpoint is of another log. The program would end with exit code 4, which the class
                // RestartTests tests.
                BoardConflictException refused =
                    await Assert.ThrowsAsync<BoardConflictException>(() => TaskHost.StartAsync(second, bucket: Shared));
                Assert.Contains("not from this log", refused.Message, StringComparison.Ordinal);
            }
            Assert.Equal(before, Files(folder));
        }
    }

    [Fact]
    public async Task An_older_copy_of_the_database_signs_nothing_on_any_host()
    {
        await PublishAsync(_first, 2);
        await CopyAsync(_first);
        string old = _first.Data.Database + ".old";
        TestFolder.CopyDatabase(_first.Data.Database, old);
        TestFolder oldBoard = Keep(_first.OtherHost(old));
        TestFolder.Copy(_first.Data.Board, oldBoard.Data.Board);
        await PublishAsync(_first, 2);
        TestFolder empty = Keep(_first.OtherHost(old));
        Assert.Contains("ends at epoch 2, but epoch 4 was signed already", await RefusedAsync(empty), StringComparison.Ordinal);
        Assert.Contains("ends at epoch 2, but epoch 4 was signed already", await RefusedAsync(oldBoard), StringComparison.Ordinal);
        Assert.False(Directory.Exists(empty.Data.Board));

        // Database and folder were rolled back together here. Even if the bucket keeps no mark, its checkpoint must reveal the rollback to
        // a task that starts.
        await CopyAsync(_first);
        Assert.Contains("ends at epoch 2, but the bucket's checkpoint covers epoch 4",
            await RefusedAsync(oldBoard, options: Options(keepsMark: false)), StringComparison.Ordinal);
        // If the bucket keeps no mark, a task must start even if the bucket does not answer.
        _bucket.Fault = (context, _, _) => Task.FromResult(Refuse(context));
        await using TaskHost task = await TaskHost.StartAsync(oldBoard, bucket: Options(keepsMark: false));
    }

    [Fact]
    public async Task Of_two_databases_that_went_apart_one_alone_is_signed()
    {
        await PublishAsync(_first, 2);
        string apart = _first.Data.Database + ".apart";
        TestFolder.CopyDatabase(_first.Data.Database, apart);
        TestFolder second = Keep(_first.OtherHost(apart));
        // This is the state after an unnoticed failover of the database: two tasks lead, each with a database of its own.
        await using TaskHost other = await TaskHost.StartAsync(second, bucket: Shared);
        await PublishAsync(_first, 1);
        byte[] mark = _bucket.Objects[Mark].Octets;
        await new Updates(second).AcceptAsync("mallory", "m1");
        StartupException refused = await Assert.ThrowsAsync<StartupException>(other.StepAsync);
        Assert.Contains("names another record for epoch 3", refused.Message, StringComparison.Ordinal);
        Assert.Equal(ExitCodes.Rollback, refused.ExitCode);
        Assert.Equal(mark, _bucket.Objects[Mark].Octets);
        Assert.False(File.Exists(Path.Combine(new BoardFolder(second.Data).Log, "audit", "003")));
        Assert.Equal(3UL, await HistoryCheck.RunAsync(_first, _updates));
    }

    [Fact]
    public async Task Whoever_lost_the_lease_before_its_mark_steps_down()
    {
        await PublishAsync(_first, 1);
        await using TaskHost old = await TaskHost.StartAsync(_first, holder: "old", bucket: Shared);
        await _updates.AcceptAsync("alice", "a2");
        _bucket.Fault = (context, method, key) => Task.FromResult(method == "PUT" && key == Mark && Refuse(context));
        await Assert.ThrowsAsync<ObjectStoreException>(old.StepAsync);
        Assert.NotNull(old.Session.Unfinished);
        _bucket.Fault = null;
        await old.Store.ReleaseLeaseAsync(old.Keeper.Lease, Cancel);
        TestFolder second = Keep(_first.OtherHost());
        await PublishAsync(second, 1, holder: "new");
        await Assert.ThrowsAsync<StorageFencedException>(old.StepAsync);
        Assert.Equal(3UL, await HistoryCheck.RunAsync(second, _updates));
    }

    [Fact]
    public async Task While_the_bucket_is_away_nothing_is_signed_and_then_it_goes_on()
    {
        await PublishAsync(_first, 1);
        await using TaskHost task = await TaskHost.StartAsync(_first, bucket: Shared);
        await _updates.AcceptAsync("alice", "a2");
        _bucket.Fault = (context, _, _) => Task.FromResult(Refuse(context));
        string checkpoint = Path.Combine(new BoardFolder(_first.Data).Log, "checkpoint");
        byte[] before = await File.ReadAllBytesAsync(checkpoint, Cancel);
        for (int i = 0; i < 3; i++)
        {
            await Assert.ThrowsAsync<ObjectStoreException>(task.StepAsync);
        }
        Assert.True((await task.Store.TryReadEpochAsync(2, Cancel))!.Checkpoint.IsEmpty);
        Assert.Equal(before, await File.ReadAllBytesAsync(checkpoint, Cancel));
        _bucket.Fault = null;
        await task.StepAsync();
        await task.DisposeAsync();
        Assert.Equal(2UL, await HistoryCheck.RunAsync(_first, _updates));

        // A task that starts while the bucket is unavailable must wait for the bucket. Its health report must name the bucket as the
        // reason.
        _bucket.Fault = (context, _, _) => Task.FromResult(Refuse(context));
        await Assert.ThrowsAsync<ObjectStoreException>(() => TaskHost.StartAsync(_first, bucket: Shared));
        if (Rounds.Of(0, 1) == 0)
        {
            return;
        }
        await using TaskProcess waiting = TaskProcess.Start(_first, null, Settings);
        await waiting.UntilAsync(
            async () => (await waiting.GetAsync("/health/ready")) is { Status: 503 } ready
                && ready.Body.Contains("The bucket neither takes nor returns the high-water mark.", StringComparison.Ordinal));
        _bucket.Fault = null;
        await waiting.UntilAsync(async () => (await waiting.GetAsync("/health/ready")).Status == 200);
        Assert.Equal(0, await waiting.TerminateAsync());
    }

    [Theory]
    [InlineData("gone", "had a high-water mark of epoch 1, and now has none")]
    [InlineData("older", "had a high-water mark of epoch 1, and now has one of epoch 0")]
    [InlineData("garbage", "is not a high-water mark")]
    [InlineData("not stored", "had a high-water mark of epoch 2, and now has one of epoch 1")]
    public async Task A_mark_that_goes_back_is_no_mark(string what, string says)
    {
        await using TaskHost task = await TaskHost.StartAsync(_first, bucket: Shared);
        await task.StepAsync();
        TestBucket.Stored zero = _bucket.Objects[Mark];
        await _updates.AcceptAsync("alice", "a1");
        await task.StepAsync();
        await _updates.AcceptAsync("alice", "a2");
        switch (what)
        {
            case "gone":
                _ = _bucket.Objects.TryRemove(Mark, out _);
                break;
            case "older":
                _bucket.Objects[Mark] = zero;
                break;
            case "garbage":
                _bucket.Objects[Mark] = new TestBucket.Stored(new byte[1000], "\"x-1\"", "", "");
                break;
            default:
                _bucket.Fault = (context, method, key) =>
                {
                    context.Response.Headers.ETag = "\"x-1\"";
                    return Task.FromResult(method == "PUT" && key == Mark);
                };
                break;
        }
        StartupException refused = await Assert.ThrowsAsync<StartupException>(task.StepAsync);
        Assert.Equal(ExitCodes.Rollback, refused.ExitCode);
        Assert.Contains(says, refused.Message, StringComparison.Ordinal);
        Assert.True((await task.Store.TryReadEpochAsync(2, Cancel))!.Checkpoint.IsEmpty);
    }

    [Fact]
    public async Task A_bucket_that_cannot_be_shared_or_is_another_logs_is_refused()
    {
        TestFolder another = Keep(await TestFolder.CreateAsync());
        await PublishAsync(another, 1);
        await CopyAsync(another);
        Assert.Contains("The database has no epoch, but the bucket has the board of a log up to epoch 1", await RefusedAsync(_first),
            StringComparison.Ordinal);
        Assert.False(File.Exists(_first.Data.LogKey));

        TestBucket.Stored foreign = _bucket.Objects["checkpoint"];
        _bucket.Objects.Clear();
        await PublishAsync(_first, 1);
        _bucket.Objects["checkpoint"] = foreign;
        Assert.Contains("checkpoint is not from this log", await RefusedAsync(_first, ExitCodes.Configuration), StringComparison.Ordinal);
        _ = _bucket.Objects.TryRemove("checkpoint", out _);
        _bucket.Objects[Mark] = new TestBucket.Stored([1, 2, 3], "\"x-1\"", "", "");
        Assert.Contains("is not a high-water mark", await RefusedAsync(_first, ExitCodes.Configuration), StringComparison.Ordinal);
        _bucket.IgnoresConditions = true;
        Assert.Contains("ignores If-None-Match or If-Match", await RefusedAsync(_first, ExitCodes.Configuration), StringComparison.Ordinal);
        Assert.Contains("Optiks:Bucket:KeepsMark needs Name",
            new BucketOptionsValidator().Validate(null, new BucketOptions { KeepsMark = true }).FailureMessage, StringComparison.Ordinal);
    }

    private static bool Refuse(HttpContext context)
    {
        context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
        return true;
    }

    private static string[] Files(string folder) =>
        [.. Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories)
            .Where(file => !file.EndsWith(".lock", StringComparison.Ordinal))
            .Select(file => $"{file} {Convert.ToHexString(File.ReadAllBytes(file))}").Order(StringComparer.Ordinal)];

    private BucketOptions Options(bool keepsMark)
    {
        BucketOptions options = _bucket.Options;
        options.KeepsMark = keepsMark;
        return options;
    }

    private TestFolder Keep(TestFolder folder)
    {
        _folders.Add(folder);
        return folder;
    }

    private async Task PublishAsync(TestFolder folder, int epochs, BucketOptions? options = null, string holder = "test")
    {
        Updates updates = folder.ConnectionString == _first.ConnectionString ? _updates : new Updates(folder);
        await using TaskHost task = await TaskHost.StartAsync(folder, bucket: options ?? Shared, holder: holder);
        await task.StepAsync();
        for (int i = 0; i < epochs; i++)
        {
            await updates.AcceptAsync("alice", $"a{updates.Accepted.Count}");
            await task.StepAsync();
        }
    }

    private async Task CopyAsync(TestFolder folder)
    {
        using var store = new S3ObjectStore(_bucket.Options);
        var verifier = new CheckpointVerifier(Protocol.TrustAnchor.Load(folder.Data.TrustAnchor).LogKey, [], Ed25519.Verifier);
        await new BucketBoard(new BoardFolder(folder.Data).Log, verifier, store).PublishAsync(Cancel);
    }

    private async Task<string> RefusedAsync(TestFolder folder, int code = ExitCodes.Rollback, BucketOptions? options = null)
    {
        StartupException refused = await Assert.ThrowsAsync<StartupException>(() => TaskHost.StartAsync(folder, bucket: options ?? Shared));
        Assert.Equal(code, refused.ExitCode);
        return refused.Message;
    }
}
