using Optiks.Db.Tests.Support;
using Optiks.Storage;

namespace Optiks.Db.Tests;

public sealed class RollbackTests(SampleLog sample) : IClassFixture<SampleLog>
{
    /// <summary>The newest copy is lost at different moments of its last epoch, after an older copy was made at different moments of its own.</summary>
    [Theory]
    [InlineData("", "")]
    [InlineData("commit", "")]
    [InlineData("", "bundle")]
    [InlineData("note", "checkpoint")]
    public async Task An_older_copy_is_brought_forward_and_nothing_is_lost_or_doubled(string copiedAt, string lostAt)
    {
        using LogFolder log = sample.Copy();
        string database = log.Data.Database;
        if (copiedAt.Length > 0)
        {
            await log.AcceptAsync(LogFolder.Item("f", "before"));
            Assert.Equal(128 + 9, (await log.RunTaskAsync(copiedAt)).Code);
        }
        AcceptRequest waiting = await log.AcceptAsync(LogFolder.Item("a", "waiting"), LogFolder.Item("g", "waiting"));
        AcceptRequest refused = await log.AcceptAsync(LogFolder.Item("c", "refused", new ExpectedVersion(0, 9)));
        LogFolder.CopyDatabase(database, database + ".old");

        await log.PublishAsync();
        AcceptRequest later = await log.AcceptAsync(LogFolder.Item("h", "later"));
        await log.PublishAsync();
        AcceptRequest last = await log.AcceptAsync(LogFolder.Item("a", "last"));
        if (lostAt.Length > 0)
        {
            Assert.Equal(128 + 9, (await log.RunTaskAsync(lostAt)).Code);
        }
        else
        {
            await log.PublishAsync();
        }
        ulong? epoch = (await log.HeadAsync()).Epoch;
        LogFolder.CopyDatabase(database + ".old", database);

        (int code, string error) = await log.RunTaskAsync();
        Assert.Equal(ExitCodes.Rollback, code);
        Assert.Contains($"'optiks-db import-bundles {log.Bundles}'", error, StringComparison.Ordinal);
        string output;
        (code, output, _) = await log.RunAsync("fsck", "--board", log.Data.Board);
        Assert.Equal(ExitCodes.Invalid, code);
        Assert.Contains("see 'optiks-db import-bundles'", output, StringComparison.Ordinal);

        (code, output, error) = await log.RunAsync("import-bundles", log.Bundles);
        Assert.Equal("", error);
        Assert.StartsWith("clean: ", (await log.RunAsync("fsck", "--board", log.Data.Board)).Output, StringComparison.Ordinal);
        Assert.Contains($"the database is at epoch {epoch}; start the update-task", output, StringComparison.Ordinal);
        Assert.Equal(ExitCodes.Success, code);
        (code, output, _) = await log.RunAsync("import-bundles", log.Bundles);
        Assert.Equal(ExitCodes.Success, code);
        Assert.Contains("nothing to do", output, StringComparison.Ordinal);
        Assert.Equal(epoch, (await log.HeadAsync()).Epoch);

        // Known in the newer copy only, and still known.
        Assert.NotNull(await log.StatusAsync(later));
        AcceptRequest next = await log.AcceptAsync(LogFolder.Item("a", "next"));
        await log.PublishAsync();
        foreach (AcceptRequest request in (AcceptRequest[])[waiting, later, last, next])
        {
            Assert.Equal(RequestState.Published, (await log.StatusAsync(request))!.State);
        }
        Assert.Equal(RequestState.Refused, (await log.StatusAsync(refused))!.State);
        // a: 1 3 4 (sample), 8 (its waiting request), waiting, last, next.
        Assert.Equal(7UL, Assert.Single((await log.StatusAsync(next))!.Items).Version);
        Assert.Equal(6UL, Assert.Single((await log.StatusAsync(last))!.Items).Version);
        (code, output, _) = await log.RunAsync("fsck", "--board", log.Data.Board);
        Assert.StartsWith("clean: ", output, StringComparison.Ordinal);
        Assert.Equal(ExitCodes.Success, code);
    }

    [Fact]
    public async Task What_does_not_connect_is_refused_and_nothing_of_it_is_written()
    {
        using LogFolder log = sample.Copy();
        string database = log.Data.Database;
        LogFolder.CopyDatabase(database, database + ".old");
        await log.PublishAsync();
        await log.AcceptAsync(LogFolder.Item("h", "later"));
        await log.PublishAsync();
        LogFolder.CopyDatabase(database + ".old", database);
        string first = Path.Combine(log.Bundles, "4.bundle");
        byte[] whole = await File.ReadAllBytesAsync(first, TestContext.Current.CancellationToken);

        File.Delete(first);
        await RefusedAsync(log, "The bundle of epoch 4 is missing: the next one is ");
        byte[] damaged = [.. whole];
        damaged[500] ^= 1;
        await File.WriteAllBytesAsync(first, damaged, TestContext.Current.CancellationToken);
        await RefusedAsync(log, "its checksum is another");
        EpochContent content = EpochBundle.Decode(whole);
        byte[] record = content.Epoch.Record.ToArray();
        record[^1] ^= 1;
        await File.WriteAllBytesAsync(first, EpochBundle.Encode(content with { Epoch = content.Epoch with { Record = record } }), TestContext.Current.CancellationToken);
        await RefusedAsync(log, "does not follow epoch 3 of the database (record_previous)");
        Native.LeafRow[] rows = content.Leaves.Rows.ToArray();
        rows[0].Commitment = new byte[32];
        await File.WriteAllBytesAsync(first, EpochBundle.Encode(content with { Leaves = content.Leaves with { Rows = rows } }), TestContext.Current.CancellationToken);
        await RefusedAsync(log, "do not give its record's root and count of structure 3");

        await File.WriteAllBytesAsync(first, whole, TestContext.Current.CancellationToken);
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("import-bundles", log.Bundles)).Code);
        Assert.Equal(5UL, (await log.HeadAsync()).Epoch);
    }

    [Fact]
    public async Task Another_history_another_log_and_a_running_task_are_refused()
    {
        using LogFolder log = sample.Copy();
        using LogFolder other = sample.Copy();
        await log.PublishAsync();
        await other.AcceptAsync(LogFolder.Item("z", "other"));
        await other.PublishAsync();
        await other.AcceptAsync(LogFolder.Item("z", "again"));
        await other.PublishAsync();
        (int code, _, string error) = await log.RunAsync("import-bundles", other.Bundles);
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Contains("holds another record for epoch 4 than the database", error, StringComparison.Ordinal);

        log.Execute("UPDATE head SET holder = 'a task', lease_end = (SELECT CAST(strftime('%s', 'now') AS INTEGER) * 1000 + 60000)");
        (code, _, error) = await log.RunAsync("import-bundles", log.Bundles);
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Contains("holds the lease until", error, StringComparison.Ordinal);
        log.Execute("UPDATE head SET lease_end = 0");
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("import-bundles", log.Bundles)).Code);

        (code, _, error) = await log.RunAsync("import-bundles", Path.Combine(log.Data.Root, "none"));
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Contains("There is no folder", error, StringComparison.Ordinal);
        File.Delete(log.Data.KeyEncryptionKey);
        Assert.Equal(ExitCodes.Configuration, (await log.RunAsync("import-bundles", log.Bundles)).Code);
    }

    private static async Task RefusedAsync(LogFolder log, string sentence)
    {
        (int code, string output, string error) = await log.RunAsync("import-bundles", log.Bundles);
        Assert.Equal((ExitCodes.Configuration, ""), (code, output));
        Assert.Contains(sentence, error, StringComparison.Ordinal);
        Assert.Equal(3UL, (await log.HeadAsync()).Epoch);
        Assert.Equal(2, await log.PendingAsync());
    }
}
