using System.Text.Json;
using Optiks.Db.Tests.Support;

namespace Optiks.Db.Tests;

public sealed class FsckTests(SampleLog sample)
{
    private const string Item = "(SELECT min(id) FROM outcome WHERE ordinal IS NOT NULL)";
    private const string Erased = "INSERT INTO erasure (id, leaf, item, request_id) VALUES";
    private const string LastLeaf = "(SELECT max(id) FROM leaf)";

    [Fact]
    public async Task A_log_as_the_task_made_it_is_clean()
    {
        using LogFolder log = sample.Copy();
        (int code, string output, _) = await log.RunAsync("fsck", "--board", log.Data.Board);
        Assert.Equal("clean: 4 epochs, 5 leaves, 6 requests, 2 pending updates", output.Trim());
        Assert.Equal(ExitCodes.Success, code);
        (code, output, _) = await log.RunAsync("fsck", "--json");
        Assert.Equal(ExitCodes.Success, code);
        JsonElement report = JsonDocument.Parse(output).RootElement;
        Assert.True(report.GetProperty("clean").GetBoolean());
        Assert.Equal(5, report.GetProperty("leaves").GetInt32());
        Assert.Equal(0, report.GetProperty("problems").GetArrayLength());
    }

    [Fact]
    public async Task A_task_at_work_is_no_problem()
    {
        using LogFolder log = sample.Copy();
        for (int i = 0; i < 15; i++)
        {
            await log.AcceptAsync(LogFolder.Item("busy", $"{i}"));
        }
        Task publishing = log.PublishAsync();
        int runs = 0;
        while (!publishing.IsCompleted || runs == 0)
        {
            (int code, string output, _) = await log.RunAsync("fsck", "--board", log.Data.Board);
            Assert.StartsWith("clean: ", output, StringComparison.Ordinal);
            Assert.Equal(ExitCodes.Success, code);
            runs++;
        }
        await publishing;
        Assert.Equal(18UL, (await log.HeadAsync()).Epoch);
    }

    [Fact]
    public async Task A_database_without_a_log_is_clean()
    {
        using LogFolder log = sample.Copy();
        File.Delete(log.Data.Database);
        File.Delete(log.Data.Database + "-wal");
        File.Delete(log.Data.Database + "-shm");
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("migrate")).Code);
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("fsck")).Code);
        // The database is now empty, but the board still has the log's epochs. So the database looks like an older copy.
        (int code, string output, _) = await log.RunAsync("fsck", "--board", log.Data.Board);
        Assert.Equal(ExitCodes.Invalid, code);
        Assert.Contains("The high-water mark is at epoch 3, beyond the head", output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("UPDATE epoch SET record_hash = zeroblob(32) WHERE epoch = 2", "The record hash of epoch 2 does not match its record.")]
    [InlineData("UPDATE epoch SET record = zeroblob(length(record)) WHERE epoch = 2", "The record of epoch 2 belongs to another log")]
    [InlineData("UPDATE epoch SET record = zeroblob(5) WHERE epoch = 2", "The record of epoch 2 has 5 bytes")]
    [InlineData("DELETE FROM epoch WHERE epoch = 2", "Epochs 2 to 2 are missing.")]
    [InlineData("DELETE FROM epoch WHERE epoch = 3", "The head is at epoch 3, but the last stored one is 2.")]
    [InlineData("UPDATE epoch SET checkpoint = NULL WHERE epoch = 1", "Epoch 1 is published without a checkpoint.")]
    [InlineData("UPDATE epoch SET checkpoint = (SELECT checkpoint FROM epoch WHERE epoch = 1) WHERE epoch = 2",
        "The checkpoint of epoch 2 does not match the records up to it.")]
    [InlineData("UPDATE epoch SET checkpoint = x'00' WHERE epoch = 2", "The checkpoint of epoch 2 is not valid")]
    [InlineData("UPDATE head SET epoch = 2, published_epoch = 2", "Epoch 3 is stored, but the head is at 2.")]
    [InlineData("UPDATE head SET record_hash = zeroblob(32)", "The head's record hash is not that of epoch 3.")]
    [InlineData("UPDATE head SET published_epoch = 1", "The head is at epoch 3, but the published epoch is 1")]
    [InlineData("UPDATE period SET configuration = x'00'", "Period 0 has another configuration")]
    [InlineData("UPDATE period SET wrapped_secrets = x''", "Period 0 has no secrets.")]
    [InlineData("DELETE FROM period", "which has no row.")]
    [InlineData($"DELETE FROM leaf WHERE id = {LastLeaf}", "Epoch 3 has 0 leaves, but inserted 1.")]
    [InlineData($"UPDATE leaf SET label = zeroblob(32) WHERE id = {LastLeaf}", "The leaves up to epoch 3 do not give its record's root")]
    [InlineData($"UPDATE leaf SET version = 9 WHERE id = {LastLeaf}", "has version 9 of its key instead of 3.")]
    [InlineData($"UPDATE leaf SET tag = zeroblob(16) WHERE id = {LastLeaf}", "has version 3 of its key instead of 1.")]
    [InlineData($"UPDATE leaf SET period = 1 WHERE id = {LastLeaf}", "is in period 1, its epoch's record in 0.")]
    [InlineData("UPDATE leaf SET id = id + 1 WHERE ordinal = 2", "The ordinals of epoch 1 have a gap before 3.")]
    [InlineData("UPDATE leaf SET id = id + 900 * 268435456 WHERE epoch = 3", "There are leaves beyond the last epoch, from epoch 903 on.")]
    [InlineData("UPDATE value SET opening = zeroblob(16) WHERE value = x'34'", "has a value that does not open its commitment.")]
    [InlineData("UPDATE value SET value = x'3939' WHERE value = x'34'", "The values of epoch 3 have 2 bytes, but 1 were inserted.")]
    [InlineData("UPDATE value SET key = x'00' WHERE value = x'34'", "has another key than the version before")]
    [InlineData("UPDATE value SET key = zeroblob(300) WHERE value = x'34'", "has a key or value beyond the configuration's bounds.")]
    [InlineData("UPDATE value SET id = id + 1000 WHERE value = x'34'", "There are 5 values, but only 4 belong to a leaf of an epoch.")]
    [InlineData($"UPDATE leaf SET request_id = (SELECT request_id FROM leaf WHERE epoch = 2) WHERE id = {LastLeaf}",
        "which an earlier leaf already is.")]
    [InlineData(
        $"UPDATE leaf SET item = 0, request_id = (SELECT r.request_id FROM request AS r JOIN pending AS p ON p.seq = r.seq LIMIT 1) WHERE id = {LastLeaf}", "which is still pending.")]
    [InlineData($"DELETE FROM outcome WHERE id = {Item}", "does not have all of its items.")]
    [InlineData("DELETE FROM outcome WHERE refusal IS NOT NULL", "is neither pending nor decided.")]
    [InlineData("DELETE FROM pending WHERE item = 0", "does not have all of its items.")]
    [InlineData("DELETE FROM request WHERE seq = 6", "There are pending rows or outcomes of number 6, which is not a request.")]
    [InlineData("INSERT INTO pending (id, structure, key, value) VALUES (1 << 8 | 2, 3, x'61', x'')",
        "is pending although epoch 1 decided it.")]
    [InlineData($"UPDATE outcome SET ordinal = 77 WHERE id = {Item}", "which is not there.")]
    [InlineData("UPDATE outcome SET ordinal = 0, epoch = 2 WHERE seq = 2", "which is another update's.")]
    [InlineData($"UPDATE outcome SET epoch = 9 WHERE id = {Item}", "which is beyond the head.")]
    [InlineData("UPDATE outcome SET refused_item = 1 WHERE refusal IS NOT NULL AND item = 1", "was not decided as a whole.")]
    [InlineData("UPDATE request SET request_id = zeroblob(16) WHERE seq = 6", "has an id that is not a UUIDv7.")]
    [InlineData("DELETE FROM value WHERE value = x'31'", "has no value, and no epoch erased it.")]
    [InlineData($"{Erased} (3 << 28, 1 << 28, 0, zeroblob(16))", "has a value that epoch 3 erased: it came back.")]
    [InlineData($"{Erased} (9 << 28, 1 << 28, 0, zeroblob(16))", "Epoch 9, which is beyond the head, erased a value.")]
    [InlineData($"{Erased} (3 << 28 | 1, 1 << 28, 0, zeroblob(16))", "The erasures of epoch 3 have a gap before 1.")]
    [InlineData($"{Erased} (3 << 28, 1 << 28 | 77, 0, zeroblob(16))",
        "Epoch 3 erased the value of leaf 77 of epoch 1, which is not there.")]
    [InlineData($"{Erased} (2 << 28, 1 << 28, 0, zeroblob(16)), (3 << 28, 1 << 28, 0, zeroblob(16))", "which was erased before.")]
    public async Task A_planted_fault_in_the_database_is_found(string fault, string sentence)
    {
        using LogFolder log = sample.Copy();
        log.Execute(fault);
        (int code, string output, string error) = await log.RunAsync("fsck");
        Assert.Equal("", error);
        Assert.Contains(sentence, output, StringComparison.Ordinal);
        Assert.Equal(ExitCodes.Invalid, code);
    }

    [Theory]
    [InlineData("", "")]
    [InlineData("DELETE FROM copy WHERE number = 1", "The copies of period 1 have a gap before 2.")]
    [InlineData("DELETE FROM copy WHERE number = 2", "Period 1 has 2 copies, but its first epoch took 3.", 2)]
    [InlineData("DELETE FROM copy_value WHERE id = 1 << 31", "Copy 0 of period 1 has no value, and no epoch erased it.")]
    [InlineData("UPDATE copy_value SET opening = zeroblob(16) WHERE id = 1 << 31",
        "Copy 0 of period 1 has a value that does not open its commitment.")]
    [InlineData("UPDATE copy_value SET id = 1 << 31 | 2 WHERE id = 1 << 31", "Copy 2 of period 1 removes its key, but has a value.")]
    [InlineData("UPDATE copy_value SET id = id + 77 WHERE id = 1 << 31", "There are 2 values of copies, but only 1 belong to a copy.")]
    [InlineData("UPDATE copy SET id = id + (8 << 31) WHERE number = 2", "There are copies of period 9, which has no row.")]
    [InlineData("DELETE FROM period WHERE period = 1", "There are copies of period 1, which has no row.")]
    [InlineData("INSERT INTO erasure (id, leaf, period, item, request_id) VALUES (3 << 28, 1 << 31, 1, 0, zeroblob(16))",
        "Copy 0 of period 1 has a value that epoch 3 erased: it came back.")]
    [InlineData("INSERT INTO erasure (id, leaf, period, item, request_id) VALUES (3 << 28, 1 << 31 | 77, 1, 0, zeroblob(16))",
        "Epoch 3 erased the value of copy 77 of period 1, which is not there.")]
    [InlineData("UPDATE period SET wrapped_secrets = x'' WHERE period = 1", "Period 1 has no secrets.")]
    public async Task A_planted_fault_among_copies_is_found(string fault, string sentence, int state = 1)
    {
        using LogFolder log = sample.Copy();
        log.Execute(
            $"""
            UPDATE period SET state = 3 WHERE {state} = 2;
            INSERT INTO period (period, state, first_epoch, copies, wrapped_secrets, configuration)
              SELECT 1, {state}, CASE {state} WHEN 2 THEN 4 END, CASE {state} WHEN 2 THEN 3 END, x'01', configuration FROM period;
            INSERT INTO copy (id, structure, version, source_epoch, source_ordinal, label, commitment, tag)
              SELECT 1 << 31 | (epoch = 3), structure, version, epoch, ordinal, label, commitment, CASE epoch WHEN 3 THEN zeroblob(16) ELSE tag END FROM leaf WHERE epoch > 1;
            INSERT INTO copy_value SELECT 1 << 31 | (id >> 28 = 3), opening, key, value FROM value WHERE id >> 28 > 1;
            INSERT INTO copy (id, structure, version, label, commitment, tag) SELECT 1 << 31 | 2, structure, 0, label, zeroblob(32), CAST('of another key..' AS BLOB) FROM leaf WHERE epoch = 3;
            {fault}
            """);
        (int code, string output, string error) = await log.RunAsync("fsck");
        Assert.Equal("", error);
        Assert.Contains(sentence.Length == 0 ? "clean: " : sentence, output, StringComparison.Ordinal);
        Assert.Equal(sentence.Length == 0 ? ExitCodes.Success : ExitCodes.Invalid, code);
    }

    [Theory]
    [InlineData("log/checkpoint", false, "The board's checkpoint is not valid")]
    [InlineData("log/checkpoint", true, "The board has no checkpoint, but epoch 3 was published.")]
    [InlineData("log/audit/002", false, "The board's audit proof of epoch 2 does not match the leaves.")]
    [InlineData("log/audit/002", true, "The board lacks the audit proof of epoch 2.")]
    [InlineData("log/tile/0/000.p/4", false, "The board's entries from 0 on or their tiles cannot be used")]
    [InlineData("log/tile/0/000.p/4", true, "The board's entries from 0 on or their tiles cannot be used")]
    [InlineData("log/tile/entries/000.p/4", false, "The board's entries from 0 on or their tiles cannot be used")]
    [InlineData("log/tile/entries/000.p/4", true, "The board's entries from 0 on or their tiles cannot be used")]
    [InlineData("state/high-water", false, "is not a high-water mark")]
    [InlineData("state/high-water", true, "The high-water mark")]
    [InlineData("state/bundles/2.bundle", false, "its checksum does not match")]
    public async Task A_planted_fault_on_the_board_is_found(string file, bool isLost, string sentence)
    {
        using LogFolder log = sample.Copy();
        string path = Path.Combine(log.Data.Board, file);
        byte[] octets = await File.ReadAllBytesAsync(path, TestContext.Current.CancellationToken);
        // The test damages the middle of each file. In a mark it damages the beginning, because a changed digit in the middle would only
        // make another valid mark.
        octets[file.EndsWith("high-water", StringComparison.Ordinal) ? 0 : octets.Length / 2] ^= 1;
        File.Delete(path);
        if (!isLost)
        {
            await File.WriteAllBytesAsync(path, octets, TestContext.Current.CancellationToken);
        }
        (int code, string output, string error) = await log.RunAsync("fsck", "--board", log.Data.Board);
        Assert.Equal("", error);
        Assert.Contains(sentence, output, StringComparison.Ordinal);
        Assert.Equal(ExitCodes.Invalid, code);
        // If the check does not read the damaged board, it finds no faults, because the database is undamaged.
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("fsck")).Code);
    }

    [Fact]
    public async Task A_board_of_another_time_is_found()
    {
        using LogFolder log = sample.Copy();
        File.Copy(Path.Combine(log.Bundles, "1.bundle"), Path.Combine(log.Bundles, "2.bundle"), overwrite: true);
        File.Copy(Path.Combine(log.Bundles, "1.bundle"), Path.Combine(log.Bundles, "4.bundle"));
        string mark = Path.Combine(log.Data.Board, "state", "high-water");
        string text = await File.ReadAllTextAsync(mark, TestContext.Current.CancellationToken);
        await File.WriteAllTextAsync(mark, text.Replace("\n3\n", "\n2\n", StringComparison.Ordinal), TestContext.Current.CancellationToken);
        (int code, string output, _) = await log.RunAsync("fsck", "--board", log.Data.Board);
        Assert.Equal(ExitCodes.Invalid, code);
        Assert.Contains("2.bundle is the bundle of epoch 1.", output, StringComparison.Ordinal);
        Assert.Contains("4.bundle is the bundle of epoch 1.", output, StringComparison.Ordinal);
        Assert.Contains("The high-water mark is at epoch 2, but epoch 3 was published.", output, StringComparison.Ordinal);
        Assert.Contains("The high-water mark names another record for epoch 2 than the database has.", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_trust_anchor_or_board_it_is_78()
    {
        using LogFolder log = sample.Copy();
        (int code, _, string error) = await log.RunAsync("fsck", "--board", Path.Combine(log.Data.Root, "none"));
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Contains("There is no board", error, StringComparison.Ordinal);
        (code, _, error) = await log.RunAsync("fsck", "--trust", Path.Combine(log.Data.Root, "none"));
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Contains("error: ", error, StringComparison.Ordinal);
    }
}
