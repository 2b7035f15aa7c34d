using Optiks.Db.Tests.Support;

namespace Optiks.Db.Tests;

/// <summary>
/// Tests a log that has lost its folder <c>board</c> and with it the high-water mark. The database is either the newest copy or an older
/// copy.
/// </summary>
[Trait("Level", "Deep")]
public sealed class MarkRenewalTests(SampleLog sample)
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_lost_mark_is_made_again_from_the_newest_checkpoint_and_the_log_goes_on()
    {
        using LogFolder log = sample.Copy();
        string older = Keep(log, "older");
        await log.PublishAsync();
        string newest = Keep(log, "newest");
        ulong epoch = (await log.HeadAsync()).Epoch!.Value;
        (int present, _, string why) = await log.RunAsync("renew-mark", newest);
        Assert.Equal(ExitCodes.Configuration, present);
        Assert.Contains("never replaced", why, StringComparison.Ordinal);

        Directory.Delete(log.Data.Board, recursive: true);
        (int code, string said) = await log.RunTaskAsync();
        Assert.Equal(ExitCodes.Rollback, code);
        Assert.Contains("optiks-db renew-mark", said, StringComparison.Ordinal);
        await AssertRefusedAsync(log, "Give the newest", older);
        string garbage = Path.Combine(log.Data.Root, "garbage");
        await File.WriteAllTextAsync(garbage, "log.example.org\n1\n", Cancel);
        await AssertRefusedAsync(log, "not a checkpoint of this log", newest, garbage);

        (int renewed, string output, string error) = await log.RunAsync("renew-mark", older, newest);
        Assert.Equal(("", ExitCodes.Success), (error, renewed));
        Assert.Contains($"at epoch {epoch};", output, StringComparison.Ordinal);
        Assert.Equal(epoch, HighWaterMark.Read(HighWaterMark.PathIn(log.Data))!.Epoch);
        await log.AcceptAsync(LogFolder.Item("a", "afterwards"));
        await log.PublishAsync();
        Assert.True((await log.HeadAsync()).Epoch > epoch);
        Assert.StartsWith("clean: ", (await log.RunAsync("fsck", "--board", log.Data.Board)).Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_older_copy_of_the_database_gets_no_mark()
    {
        using LogFolder log = sample.Copy();
        string database = log.Data.Database;
        LogFolder.CopyDatabase(database, database + ".old");
        string older = Keep(log, "older");
        await log.PublishAsync();
        string newest = Keep(log, "newest");
        LogFolder.CopyDatabase(database + ".old", database);
        // If only the state folder is lost, the command also uses the checkpoints that the board still has.
        Directory.Delete(Path.Combine(log.Data.Board, "state"), recursive: true);
        await AssertRefusedAsync(log, "the board's checkpoint covers epoch", older);
        Directory.Delete(log.Data.Board, recursive: true);
        await AssertRefusedAsync(log, "this is an older copy", older, newest);
    }

    [Fact]
    public async Task A_database_of_another_history_gets_no_mark()
    {
        using LogFolder log = sample.Copy();
        using LogFolder other = log.Copy();
        await log.PublishAsync();
        await other.AcceptAsync(LogFolder.Item("z", "of the other"));
        await other.PublishAsync();
        string theirs = Keep(other, "theirs");
        // Publishes epochs until this log is as long as the other log.
        while ((await log.HeadAsync()).Epoch < (await other.HeadAsync()).Epoch)
        {
            await log.AcceptAsync(LogFolder.Item("y", "more"));
            await log.PublishAsync();
        }
        string own = Keep(log, "own");
        Directory.Delete(log.Data.Board, recursive: true);
        await AssertRefusedAsync(log, "belongs to another history", own, theirs);
    }

    private static string Keep(LogFolder log, string name)
    {
        string path = Path.Combine(log.Data.Root, name);
        File.Copy(Path.Combine(log.Data.Board, "log", "checkpoint"), path);
        return path;
    }

    private static async Task AssertRefusedAsync(LogFolder log, string says, params string[] checkpoints)
    {
        (int code, _, string why) = await log.RunAsync(["renew-mark", .. checkpoints]);
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Contains(says, why, StringComparison.Ordinal);
        Assert.Contains("Nothing was written", why, StringComparison.Ordinal);
        Assert.False(File.Exists(HighWaterMark.PathIn(log.Data)));
    }
}
