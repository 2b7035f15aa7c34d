using System.Text;
using System.Text.Json;
using Optiks.Db.Periods;
using Optiks.Db.Tests.Support;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Tests.Shared;

namespace Optiks.Db.Tests;

/// <summary>Tests fsck, export, import and the commands for periods on a log that has several periods.</summary>
public sealed class PeriodTests(PeriodSample sample, SampleLog plain) : IClassFixture<PeriodSample>
{
    private const string Key = "(SELECT id FROM copy_value WHERE key = CAST('b' AS BLOB) AND id >> 31 = 1)";

    private const string OtherOrdinal =
        "(SELECT l.ordinal FROM leaf AS l JOIN value AS v ON v.id = l.id WHERE l.epoch = 1 AND v.key = CAST('a' AS BLOB))";

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_log_that_switched_is_clean_with_its_board_and_after_an_import()
    {
        using LogFolder log = sample.Copy();
        (int code, string output, string error) = await log.RunAsync("fsck", "--board", log.Data.Board);
        Assert.Equal(("", ExitCodes.Success), (error, code));
        Assert.StartsWith("clean: 11 epochs", output, StringComparison.Ordinal);

        string file = Path.Combine(log.Data.Root, "export");
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("export", file)).Code);
        File.Delete(log.Data.Database);
        File.Delete(log.Data.Database + "-wal");
        File.Delete(log.Data.Database + "-shm");
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("migrate")).Code);
        (code, output, error) = await log.RunAsync("import", file);
        Assert.Equal(("", ExitCodes.Success), (error, code));
        Assert.StartsWith("clean: 11 epochs", output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData($"UPDATE copy SET label = zeroblob(32) WHERE id = {Key}", "do not give its record's root and count of structure 3")]
    [InlineData($"UPDATE copy SET commitment = zeroblob(32) WHERE id = {Key}", "do not give its record's root and count of structure 3")]
    [InlineData($"UPDATE copy SET structure = 2 WHERE id = {Key}", "do not give its record's root and count of structure 2")]
    [InlineData($"UPDATE copy SET source_ordinal = source_ordinal + 77 WHERE id = {Key}",
        "which is not the latest version of its key, or its key has another copy.")]
    [InlineData($"UPDATE copy SET version = version + 1 WHERE id = {Key}",
        "which is not the latest version of its key, or its key has another copy.")]
    [InlineData($"UPDATE copy SET source_epoch = 1, source_ordinal = {OtherOrdinal}, version = 1 WHERE id = {Key}",
        "has no copy of version 1")]
    [InlineData($"UPDATE copy_value SET key = CAST('x' AS BLOB) WHERE id = {Key}", "has another key or value than its source.")]
    [InlineData("UPDATE value SET key = CAST('x' AS BLOB) WHERE key = CAST('b' AS BLOB)", "has another key or value than its source.")]
    [InlineData($"DELETE FROM copy_value WHERE id = {Key}", "has no value, and no epoch erased it.")]
    [InlineData(
        "INSERT INTO copy_value SELECT c.id, zeroblob(16), CAST('a' AS BLOB), x'' FROM copy AS c JOIN copy AS d ON d.label = c.label AND d.id > c.id", "has a value, although copy")]
    [InlineData("DELETE FROM copy WHERE version = 0 AND id = (SELECT max(id) FROM copy WHERE id >> 31 = 1)",
        "copies, but its first epoch took")]
    [InlineData("UPDATE leaf SET version = 7 WHERE id = (SELECT max(id) FROM leaf)", "has version 7 of its key instead of 2.")]
    [InlineData("UPDATE period SET first_epoch = first_epoch + 1 WHERE period = 1", "which has no row.")]
    public async Task A_planted_fault_in_what_a_period_began_with_is_found(string fault, string sentence)
    {
        using LogFolder log = sample.Copy();
        log.Execute(fault);
        (int code, string output, string error) = await log.RunAsync("fsck");
        Assert.Equal("", error);
        Assert.Contains(sentence, output, StringComparison.Ordinal);
        Assert.Equal(ExitCodes.Invalid, code);
    }

    [Fact]
    public async Task A_period_that_began_with_too_much_or_too_little_is_found_although_its_roots_are_right()
    {
        using LogFolder log = plain.Copy();
        await using (PeriodLog periods = await PeriodLog.OpenAsync(log))
        {
            await PeriodSample.PublishUserAsync(periods);
            await PeriodSample.LeaveAsync(periods);
            await periods.StageAsync("b");
            await periods.SwitchAsync();
        }
        (int code, string output, _) = await log.RunAsync("fsck", "--board", log.Data.Board);
        Assert.Equal(ExitCodes.Invalid, code);
        string[] problems = output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(2, problems.Count(problem => problem.Contains("belongs to a user who had left.", StringComparison.Ordinal)));
        Assert.Equal(1, problems.Count(problem => problem.Contains("Period 1 has no copy of version 1", StringComparison.Ordinal)));
        Assert.Equal(3, problems.Count(problem => problem.Contains("eriod 1", StringComparison.Ordinal)));
    }

    /// <summary>
    /// Tests for which devices the next period has no copies. If a user has left, neither the devices on the user's last list nor the
    /// devices that were removed from the list before have copies. But if another user has added such a device since, it belongs to that
    /// user and has a copy.
    /// </summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_period_has_no_copy_of_any_device_of_a_user_who_left(bool isLeftOut)
    {
        using LogFolder log = plain.Copy();
        await using (PeriodLog periods = await PeriodLog.OpenAsync(log))
        {
            await PeriodSample.PublishUserAsync(periods);
            await periods.StageAsync();
            await periods.PublishAsync(LogFolder.Item("user", "") with { Structure = StructureId.Devices, Value = DeviceList.Encode([]) });
            await PeriodSample.LeaveAsync(periods);
            await periods.StageAsync(isLeftOut ? ["user", "device"] : ["user"]);
            await periods.SwitchAsync();
            if (isLeftOut)
            {
                await periods.PublishAsync(
                    LogFolder.Item("other", "") with
                    {
                        Structure = StructureId.Devices,
                        Value = DeviceList.Encode([Encoding.UTF8.GetBytes("device")]),
                    }, LogFolder.Item("device", "another's key"));
                await periods.StageAsync();
                await periods.SwitchAsync();
            }
        }
        (int code, string output, _) = await log.RunAsync("fsck", "--board", log.Data.Board);
        Assert.Equal(isLeftOut ? ExitCodes.Success : ExitCodes.Invalid, code);
        Assert.Contains(isLeftOut ? "clean: " : "belongs to a user who had left.", output, StringComparison.Ordinal);
    }

    /// <summary>
    /// Tests an import of bundles into an older copy of the database. The copy was made before, during or after the staging of copies, or
    /// after a switch.
    /// </summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public async Task An_older_copy_is_brought_forward_over_switches(int copiedAt)
    {
        using LogFolder log = plain.Copy();
        string database = log.Data.Database;
        await using (PeriodLog periods = await PeriodLog.OpenAsync(log))
        {
            Keep(0);
            await PeriodSample.PublishUserAsync(periods);
            await periods.StageAsync();
            Keep(1);
            await periods.PublishAsync(LogFolder.Item("a", "set after it was staged"));
            await PeriodSample.LeaveAsync(periods);
            await periods.StageAsync("user", "device");
            Keep(2);
            await periods.SwitchAsync();
            Keep(3);
            await periods.PublishAsync(LogFolder.Item("a", "set in period 1"));
            await periods.StageAsync();
            Keep(4);
            await periods.SwitchAsync();
            await periods.PublishAsync(LogFolder.Item("a", "set in period 2"));
        }
        LogFolder.CopyDatabase(database + ".old", database);
        log.Execute("UPDATE head SET holder = '', lease_end = 0");
        (int code, string output, string error) = await log.RunAsync("import-bundles", log.Bundles);
        Assert.Equal(("", ExitCodes.Success), (error, code));
        Assert.Contains("the database is at epoch 10;", output, StringComparison.Ordinal);
        Assert.StartsWith("clean: 11 epochs", (await log.RunAsync("fsck", "--board", log.Data.Board)).Output, StringComparison.Ordinal);
        Assert.Contains("nothing to do", (await log.RunAsync("import-bundles", log.Bundles)).Output, StringComparison.Ordinal);

        void Keep(int at)
        {
            if (at == copiedAt)
            {
                LogFolder.CopyDatabase(database, database + ".old");
            }
        }
    }

    [Fact]
    public async Task The_status_says_when_each_period_began_and_how_long_it_is_served()
    {
        using LogFolder log = sample.Copy();
        (int code, string output, _) = await log.RunAsync("period", "status", "--json");
        Assert.Equal(ExitCodes.Success, code);
        JsonElement status = JsonDocument.Parse(output).RootElement;
        Assert.Equal(2UL, status.GetProperty("current").GetUInt64());
        Assert.False(status.GetProperty("switch_requested").GetBoolean());
        JsonElement[] periods = [.. status.GetProperty("periods").EnumerateArray()];
        Assert.Equal(["ended", "ended", "current"], periods.Select(period => period.GetProperty("state").GetString()));
        Assert.Equal([false, true, true], periods.Select(period => period.GetProperty("served").GetBoolean()));
        Assert.Equal([0UL, 7, 9], periods.Select(period => period.GetProperty("first_epoch").GetUInt64()));
        Assert.Equal(8UL, periods[1].GetProperty("last_epoch").GetUInt64());
        long length = status.GetProperty("period_length_ms").GetInt64();
        long began = periods[2].GetProperty("first_time_ms").GetInt64();
        Assert.Equal(began + length, status.GetProperty("switch_not_before_ms").GetInt64());
        Assert.Equal(began + length, periods[1].GetProperty("served_until_ms").GetInt64());
        Assert.Equal(began + (2 * length), periods[2].GetProperty("served_until_ms").GetInt64());

        (code, output, _) = await log.RunAsync("period", "status");
        Assert.Equal(ExitCodes.Success, code);
        Assert.Contains("not served", output, StringComparison.Ordinal);
        Assert.Contains(
            $"Period 3 may begin at {DateTimeOffset.FromUnixTimeMilliseconds(began + length):u}. The update-task makes the switch then",
            output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_switch_is_asked_for_once_and_not_in_the_middle_of_another()
    {
        using LogFolder log = sample.Copy();
        (int code, string output, _) = await log.RunAsync("period", "switch");
        Assert.Equal(ExitCodes.Success, code);
        Assert.StartsWith("Period 3 was requested. It begins at ", output, StringComparison.Ordinal);
        (code, output, _) = await log.RunAsync("period", "switch", "--json");
        Assert.Equal(ExitCodes.Success, code);
        Assert.True(JsonDocument.Parse(output).RootElement.GetProperty("requested_before").GetBoolean());
        Assert.Contains("The switch has been requested", (await log.RunAsync("period", "status")).Output, StringComparison.Ordinal);

        log.Execute("UPDATE head SET epoch = 9, published_epoch = 8");
        (code, output, string error) = await log.RunAsync("period", "switch");
        Assert.Equal((ExitCodes.Usage, ""), (code, output));
        Assert.Contains("Period 2 is just beginning, and its first epoch 9 is not published yet.", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_ended_period_is_archived_without_what_tells_whose_it_is()
    {
        using LogFolder log = sample.Copy();
        string folder = Directory.CreateDirectory(Path.Combine(log.Data.Root, "archives")).FullName;
        string file = Path.Combine(folder, "archive");
        (int code, string output, string error) = await log.RunAsync("period", "archive", "1", file);
        Assert.Equal((ExitCodes.Usage, ""), (code, output));
        Assert.Contains("Period 1 is served until period 3 begins, not before ", error, StringComparison.Ordinal);
        Assert.Contains("Period 3 has not begun", (await log.RunAsync("period", "archive", "3", file)).Error, StringComparison.Ordinal);
        Assert.False(File.Exists(file));
        await using (PeriodLog periods = await PeriodLog.OpenAsync(log))
        {
            await periods.StageAsync();
            await periods.SwitchAsync();
        }
        foreach (string period in (string[])["0", "1"])
        {
            using var events = new FolderEvents(folder);
            (code, output, error) = await log.RunAsync("period", "archive", period, file + period);
            Assert.Equal(("", ExitCodes.Success), (error, code));
            // The operator may delete the period once the command has ended, so the archive's name must be durable by then.
            Assert.Equal([$"create archive{period}.tmp", $"move archive{period}", "open"], events.Read());
            Assert.StartsWith($"archived period {period}, ", output, StringComparison.Ordinal);
            string text = Encoding.Latin1.GetString(await File.ReadAllBytesAsync(file + period, Cancel));
            Assert.DoesNotContain("device", text, StringComparison.Ordinal);
            Assert.DoesNotContain("set ", text, StringComparison.Ordinal);
        }
        Assert.Equal(ExitCodes.Configuration, (await log.RunAsync("period", "archive", "0", file + "0")).Code);

        // The check must find every change in the archive, either because a root differs or because the checksum differs.
        byte[] archive = await File.ReadAllBytesAsync(file + "1", Cancel);
        var anchor = TrustAnchor.Load(log.Data.TrustAnchor);
        Assert.Equal(2UL, ArchiveCheck.Run(new MemoryStream(archive), anchor).Epochs);
        for (int i = 0; i < archive.Length; i += 7)
        {
            byte[] changed = [.. archive];
            changed[i] ^= 1;
            _ = Assert.Throws<StorageCorruptException>(() => ArchiveCheck.Run(new MemoryStream(changed), anchor));
        }
        _ = Assert.Throws<StorageCorruptException>(() => ArchiveCheck.Run(new MemoryStream(archive[..^1]), anchor));
        _ = Assert.Throws<StorageCorruptException>(() => ArchiveCheck.Run(new MemoryStream([.. archive, 0]), anchor));
    }

    [Fact]
    public async Task A_period_is_dropped_by_hand_when_it_may_be_and_the_database_stays_clean()
    {
        using LogFolder log = sample.Copy();
        Assert.Equal(ExitCodes.Usage, (await log.RunAsync("period", "drop", "1")).Code);
        log.Execute("UPDATE head SET holder = 'a task', lease_end = (SELECT CAST(strftime('%s', 'now') AS INTEGER) * 1000 + 60000)");
        (int code, _, string error) = await log.RunAsync("period", "drop", "0");
        Assert.Equal(ExitCodes.Usage, code);
        Assert.Contains("(a task) holds the lease until", error, StringComparison.Ordinal);
        log.Execute("UPDATE head SET lease_end = 0");
        await using (PeriodLog periods = await PeriodLog.OpenAsync(log))
        {
            await periods.StageAsync();
            await periods.SwitchAsync();
        }
        (code, _, error) = await log.RunAsync("period", "drop", "1");
        Assert.Equal(ExitCodes.Usage, code);
        Assert.Contains("'optiks-db period drop 0' first", error, StringComparison.Ordinal);
        foreach (string period in (string[])["0", "1"])
        {
            (code, string output, error) = await log.RunAsync("period", "drop", period);
            Assert.Equal(("", ExitCodes.Success), (error, code));
            Assert.StartsWith($"period {period} is destroyed", output, StringComparison.Ordinal);
            Assert.Contains($"period {period} was destroyed before", (await log.RunAsync("period", "drop", period)).Output,
                StringComparison.Ordinal);
            Assert.StartsWith("clean: 12 epochs", (await log.RunAsync("fsck", "--board", log.Data.Board)).Output, StringComparison.Ordinal);
        }
        // Nobody can make proofs for a destroyed period, but the archive can still be written, because the roots can be computed.
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("period", "archive", "1", Path.Combine(log.Data.Root, "archive"))).Code);
        log.Execute("INSERT INTO value SELECT id, zeroblob(16), x'61', x'' FROM leaf WHERE structure = 3 AND epoch = 1 LIMIT 1");
        Assert.Contains("has a value that was destroyed with its period: it came back.", (await log.RunAsync("fsck")).Output,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("status")]
    [InlineData("switch")]
    [InlineData("drop", "0")]
    public async Task Without_a_log_there_are_no_periods(params string[] command)
    {
        using var log = new LogFolder();
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("migrate")).Code);
        (int code, _, string error) = await log.RunAsync(["period", .. command]);
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Contains("The database has no log", error, StringComparison.Ordinal);
    }
}
