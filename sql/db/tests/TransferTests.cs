using System.Buffers.Binary;
using System.Security.Cryptography;
using Optiks.Db.Tests.Support;
using Optiks.Storage;
using Optiks.Tests.Shared;

namespace Optiks.Db.Tests;

public sealed class TransferTests(SampleLog sample)
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_directory_moves_with_its_roots_and_goes_on()
    {
        using LogFolder log = sample.Copy();
        // The test erases a value. After the export and the import, the value must still be erased.
        log.Execute("INSERT INTO erasure (id, leaf, item, request_id) SELECT 3 << 28, id, 0, zeroblob(16) FROM value WHERE value = x'31'");
        log.Execute("DELETE FROM value WHERE value = x'31'");
        string file = Path.Combine(log.Data.Root, "export");
        (int code, string output, string error) = await log.RunAsync("export", file);
        Assert.Equal(("", ExitCodes.Success), (error, code));
        Assert.Contains("exported epochs 0 to 3 to ", output, StringComparison.Ordinal);
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(file));
        HeadRow before = await log.HeadAsync();
        LogFolder.CopyDatabase(log.Data.Database, log.Data.Database + ".source");

        Empty(log);
        (code, output, error) = await log.RunAsync("import", file);
        Assert.Equal(("", ExitCodes.Configuration), (output, code));
        Assert.Contains("create it with 'optiks-db migrate'", error, StringComparison.Ordinal);
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("migrate")).Code);
        (code, output, error) = await log.RunAsync("import", file);
        Assert.Equal(("clean: 4 epochs, 5 leaves, 6 requests, 2 pending updates", "", ExitCodes.Success), (output.Trim(), error, code));
        HeadRow after = await log.HeadAsync();
        Assert.Equal((before.Epoch, before.PublishedEpoch, before.Fence, ""),
            (after.Epoch, after.PublishedEpoch, after.Fence, after.Holder));
        Assert.Equal(before.RecordHash.ToArray(), after.RecordHash.ToArray());
        Assert.StartsWith("clean: ", (await log.RunAsync("fsck", "--board", log.Data.Board)).Output, StringComparison.Ordinal);
        // A second export of the same rows must have the same bytes.
        string again = file + "2";
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("export", again)).Code);
        Assert.Equal(await File.ReadAllBytesAsync(file, Cancel), await File.ReadAllBytesAsync(again, Cancel));

        // The command must import nothing into a database that has rows.
        (code, _, error) = await log.RunAsync("import", file);
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Contains("is not empty", error, StringComparison.Ordinal);
        (code, _, error) = await log.RunAsync("export", file);
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Contains("it is not overwritten", error, StringComparison.Ordinal);

        // The update-task can continue with the imported log and its pending requests.
        await log.PublishAsync();
        Assert.Equal(4UL, (await log.HeadAsync()).Epoch);
        Assert.StartsWith("clean: 5 epochs, 7 leaves, ", (await log.RunAsync("fsck", "--board", log.Data.Board)).Output,
            StringComparison.Ordinal);
    }

    /// <summary>The operator may delete the exported data once the command has ended.</summary>
    [Fact]
    public async Task An_exports_name_is_durable_when_the_command_ends()
    {
        using LogFolder log = sample.Copy();
        string folder = Directory.CreateDirectory(Path.Combine(log.Data.Root, "exports")).FullName;
        using var events = new FolderEvents(folder);
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("export", Path.Combine(folder, "export"))).Code);
        Assert.Equal(["create export.tmp", "move export", "open"], events.Read());
    }

    [Fact]
    public async Task What_a_period_is_made_of_moves_too()
    {
        using LogFolder log = sample.Copy();
        log.Execute(
            """
            INSERT INTO period (period, state, wrapped_secrets, configuration) SELECT 1, 1, x'01', configuration FROM period;
            INSERT INTO copy (id, structure, version, source_epoch, source_ordinal, label, commitment, tag)
              SELECT 1 << 31, structure, version, epoch, ordinal, label, commitment, tag FROM leaf WHERE epoch = 3;
            INSERT INTO copy_value SELECT 1 << 31, v.opening, v.key, v.value FROM value AS v WHERE id >> 28 = 3;
            INSERT INTO copy (id, structure, version, label, commitment, tag)
              SELECT 1 << 31 | 1, structure, 0, label, zeroblob(32), tag FROM leaf WHERE epoch = 1 AND tag NOT IN (SELECT tag FROM copy) LIMIT 1;
            """);
        string file = Path.Combine(log.Data.Root, "export");
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("export", file)).Code);
        Empty(log);
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("migrate")).Code);
        Assert.Equal(("clean: 4 epochs, 5 leaves, 6 requests, 2 pending updates", ExitCodes.Success),
            await log.RunAsync("import", file) is var (code, output, _) ? (output.Trim(), code) : default);
        string again = file + "2";
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("export", again)).Code);
        Assert.Equal(await File.ReadAllBytesAsync(file, Cancel), await File.ReadAllBytesAsync(again, Cancel));
        await using IFollowStore store = await new Storage.Sqlite.SqliteStorageProvider().OpenFollowAsync(log.ConnectionString, Cancel);
        Assert.Equal([PeriodState.Current, PeriodState.Next], (await store.ReadPeriodsAsync(Cancel)).Select(period => period.State));
        Assert.Equal([false, true],
            (await store.ReadCopiesAsync(1, 0, 10, LeafColumns.All, Cancel)).Sources.ToArray().Select(source => source.IsDrop));
    }

    [Fact]
    public async Task An_export_of_before_periods_had_states_is_imported()
    {
        using LogFolder log = sample.Copy();
        string file = Path.Combine(log.Data.Root, "export");
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("export", file)).Code);
        await File.WriteAllBytesAsync(file, AsBefore(await File.ReadAllBytesAsync(file, Cancel)), Cancel);
        Empty(log);
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("migrate")).Code);
        (int code, string output, string error) = await log.RunAsync("import", file);
        Assert.Equal(("clean: 4 epochs, 5 leaves, 6 requests, 2 pending updates", "", ExitCodes.Success), (output.Trim(), error, code));
        await log.PublishAsync();
        Assert.Equal(4UL, (await log.HeadAsync()).Epoch);
    }

    [Fact]
    public async Task A_damaged_export_imports_nothing()
    {
        using LogFolder log = sample.Copy();
        string file = Path.Combine(log.Data.Root, "export");
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("export", file)).Code);
        byte[] whole = await File.ReadAllBytesAsync(file, Cancel);
        Empty(log);
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("migrate")).Code);
        var damaged = new List<byte[]> { Array.Empty<byte>(), whole[..^1], whole[..(whole.Length / 2)], (byte[])[.. whole, 0] };
        for (int at = 3; at < whole.Length; at += whole.Length / 40)
        {
            byte[] changed = [.. whole];
            changed[at] ^= 0x10;
            damaged.Add(changed);
        }
        string bad = file + ".bad";
        foreach (byte[] octets in damaged)
        {
            await File.WriteAllBytesAsync(bad, octets, Cancel);
            (int code, string output, string error) = await log.RunAsync("import", bad);
            Assert.Equal((ExitCodes.Configuration, ""), (code, output));
            Assert.StartsWith("error: ", error, StringComparison.Ordinal);
            Assert.Null((await log.HeadAsync()).Epoch);
        }
        Assert.Equal(ExitCodes.Configuration, (await log.RunAsync("import", file + ".none")).Code);
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("import", file)).Code);
    }

    [Fact]
    public async Task An_import_of_a_directory_with_faults_says_so()
    {
        using LogFolder log = sample.Copy();
        log.Execute("UPDATE value SET value = x'39' WHERE value = x'34'");
        string file = Path.Combine(log.Data.Root, "export");
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("export", file)).Code);
        Empty(log);
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("migrate")).Code);
        (int code, string output, _) = await log.RunAsync("import", file);
        Assert.Equal(ExitCodes.Invalid, code);
        Assert.Contains("has a value that does not open its commitment.", output, StringComparison.Ordinal);
    }

    // Converts an export without erasures to format 1. In this format, the first row, which is the period, has no state and no number of
    // copies, and its first epoch is not optional.
    private static byte[] AsBefore(byte[] export)
    {
        const int Magic = 16;
        const int Prefix = 5;
        int length = BinaryPrimitives.ReadInt32BigEndian(export.AsSpan(Magic + 1));
        ReadOnlySpan<byte> row = export.AsSpan(Magic + Prefix, length);
        // The row has these fields: the period (8 bytes), the state (1), a 1 and the first epoch (1 + 8), and a 1 and the number of copies
        // (1 + 4).
        byte[] before = [.. row[..8], .. row[10..18], .. row[23..]];
        byte[] prefix = [1, 0, 0, 0, 0];
        BinaryPrimitives.WriteInt32BigEndian(prefix.AsSpan(1), before.Length);
        byte[] body = [.. "optiks export 1\n"u8, .. prefix, .. before, .. export.AsSpan((Magic + Prefix + length)..^(Prefix + 32))];
        return [.. body, .. export.AsSpan(^(Prefix + 32)..^32), .. SHA256.HashData(body)];
    }

    private static void Empty(LogFolder log)
    {
        foreach (string suffix in (string[])["", "-wal", "-shm"])
        {
            File.Delete(log.Data.Database + suffix);
        }
    }
}
