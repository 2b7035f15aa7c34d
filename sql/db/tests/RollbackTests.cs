using Optiks.Db.Tests.Support;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Storage;

namespace Optiks.Db.Tests;

[Trait("Level", "Deep")]
public sealed class RollbackTests(SampleLog sample)
{
    // The secrets of the next period. All bundles and databases of a test must have the same secrets.
    private static readonly DirectorySecrets s_secrets = DirectorySecrets.Generate();

    [Fact]
    public async Task What_was_staged_for_the_next_period_is_brought_forward_between_its_epochs()
    {
        using LogFolder log = sample.Copy();
        string database = log.Data.Database;
        LogFolder.CopyDatabase(database, database + ".old");
        await log.PublishAsync();
        string first = await StageAsync(log, 4, copyOf: 3, "a"u8.ToArray());
        string second = await StageAsync(log, 4, copyOf: 4, "e"u8.ToArray());
        // The period gets real secrets, because an update-task could not make trees with made-up bytes.
        await using (PeriodLog periods = await PeriodLog.OpenAsync(log))
        {
            await periods.PublishAsync(LogFolder.Item("a", "after"));
        }

        foreach ((string missing, string says) in new[] { (first, "the bundle of its first copies is missing"),
            ("4.bundle", "The bundle of epoch 4 is missing") })
        {
            LogFolder.CopyDatabase(database + ".old", database);
            string path = Path.Combine(log.Bundles, missing);
            File.Move(path, path + ".away");
            (int refused, _, string why) = await log.RunAsync("import-bundles", log.Bundles);
            Assert.Equal(ExitCodes.Configuration, refused);
            Assert.Contains(says, why, StringComparison.Ordinal);
            File.Move(path + ".away", path);
            // The first import stopped at the missing bundle. The rows that it added stay, and this import adds the remaining rows.
            (int code, _, string error) = await log.RunAsync("import-bundles", log.Bundles);
            Assert.Equal(("", ExitCodes.Success), (error, code));
            Assert.Equal(5UL, (await log.HeadAsync()).Epoch);
            await using MaintenanceStore store = await OpenAsync(log);
            Assert.Equal([PeriodState.Current, PeriodState.Next], (await store.ReadPeriodsAsync(Cancel)).Select(period => period.State));
            CopyBatch copies = await store.ReadCopiesAsync(1, 0, 10, LeafColumns.All, Cancel);
            Assert.Equal([3UL, 4], copies.Sources.ToArray().Select(source => source.Epoch));
            Assert.Equal("4"u8.ToArray(), copies.Value(0).ToArray());
            Assert.StartsWith("clean: ", (await log.RunAsync("fsck", "--board", log.Data.Board)).Output, StringComparison.Ordinal);
            Assert.Contains("nothing to do", (await log.RunAsync("import-bundles", log.Bundles)).Output, StringComparison.Ordinal);
        }
        // The test changes a bundle, so that it belongs to another history of the log.
        var bundle = CopyBundle.Decode(await File.ReadAllBytesAsync(Path.Combine(log.Bundles, first), Cancel));
        await File.WriteAllBytesAsync(
            Path.Combine(log.Bundles, first), (bundle with { WrappedSecrets = "others"u8.ToArray() }).Encode(), Cancel);
        (int last, _, string other) = await log.RunAsync("import-bundles", log.Bundles);
        Assert.Equal(ExitCodes.Configuration, last);
        Assert.Contains("they belong to different histories", other, StringComparison.Ordinal);
        Assert.True(File.Exists(Path.Combine(log.Bundles, second)));
    }

    /// <summary>
    /// Tests that no update is lost or doubled when the newest copy of the database is lost. The newest copy is lost at different steps of
    /// its last epoch, and the older copy was made at different steps of an earlier epoch.
    /// </summary>
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

        // Only the newer copy had this request, but the log still knows the request after the import.
        Assert.NotNull(await log.StatusAsync(later));
        AcceptRequest next = await log.AcceptAsync(LogFolder.Item("a", "next"));
        await log.PublishAsync();
        foreach (AcceptRequest request in (AcceptRequest[])[waiting, later, last, next])
        {
            Assert.Equal(RequestState.Published, (await log.StatusAsync(request))!.State);
        }
        Assert.Equal(RequestState.Refused, (await log.StatusAsync(refused))!.State);
        // Seven requests made the seven versions of key a: four of the sample log (requests 1, 3 and 4, and request 8, which was pending),
        // and then the requests `waiting`, `last` and `next`.
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
        await RefusedAsync(log, "its checksum does not match");
        EpochContent content = EpochBundle.Decode(whole);
        byte[] record = content.Epoch.Record.ToArray();
        record[^1] ^= 1;
        await File.WriteAllBytesAsync(first, EpochBundle.Encode(content with { Epoch = content.Epoch with { Record = record } }),
            TestContext.Current.CancellationToken);
        await RefusedAsync(log, "does not follow epoch 3 of the database (record_previous)");
        Native.LeafRow[] rows = content.Leaves.Rows.ToArray();
        rows[0].Commitment = new byte[32];
        await File.WriteAllBytesAsync(first, EpochBundle.Encode(content with { Leaves = content.Leaves with { Rows = rows } }),
            TestContext.Current.CancellationToken);
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

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private static Task<MaintenanceStore> OpenAsync(LogFolder log) =>
        new Storage.Sqlite.SqliteStorageProvider().OpenMaintenanceAsync(log.ConnectionString, Cancel);

    // Stages a copy of the leaf that an epoch inserted for a key, and writes the copy's bundle as an update-task does. Returns the bundle's
    // file name.
    private static async Task<string> StageAsync(LogFolder log, ulong after, ulong copyOf, byte[] key)
    {
        await using MaintenanceStore store = await OpenAsync(log);
        Lease lease = (await store.AcquireLeaseAsync("stage", TimeSpan.FromMinutes(1), Cancel))!;
        byte[] wrapped = KeyRing.Load(log.Data)
            .Wrap(s_secrets.Octets, SecretPurpose.PeriodSecrets(1), TrustAnchor.Load(log.Data.TrustAnchor).LogId.Span);
        ReadOnlyMemory<byte> secrets = (await store.BeginPeriodAsync(lease, 1, wrapped, Cancel)).WrappedSecrets;
        int number = await store.CountCopiesAsync(1, Cancel);
        CopyBatch? copies = null;
        await foreach (LeafBatch batch in store.ReadLeavesAsync(copyOf, copyOf, 10, LeafColumns.All, Cancel))
        {
            LeafRow row = batch.Rows.Span[Enumerable.Range(0, batch.Rows.Length).Single(i => batch.Key(i).Span.SequenceEqual(key))];
            ReadOnlyMemory<byte> value = batch.Values.Slice(checked((int)row.ValueOffset), checked((int)row.ValueLength));
            CopySource[] sources = [new(row.Version, copyOf, 0)];
            (row.Epoch, row.Version, row.ValueOffset) = (0, 1, 0);
            copies = new CopyBatch(1, number, new[] { row }, sources, value, key, new[] { key.Length });
        }
        Assert.Equal(StageResult.Staged, await store.StageCopiesAsync(lease, copies!, Cancel));
        await store.ReleaseLeaseAsync(lease, Cancel);
        var bundle = new CopyBundle(after, number == 0 ? secrets : default, copies!);
        await File.WriteAllBytesAsync(Path.Combine(log.Bundles, bundle.Name.FileName), bundle.Encode(), Cancel);
        return bundle.Name.FileName;
    }
}
