using System.Diagnostics;
using System.Text.Json;
using Optiks.Db.Tests.Support;
using Optiks.Secrets;
using Optiks.Storage;
using Optiks.Storage.Sqlite;

namespace Optiks.Db.Tests;

/// <summary>Tests rotations of the key-encryption key. The log is in its third period, and has a next period and bundles.</summary>
public sealed class KekCommandTests(PeriodSample sample, SampleLog plain) : IClassFixture<PeriodSample>
{
    private const int Periods = 3;
    private const int Killed = 128 + 9;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_key_is_made_known_rotated_to_and_the_old_one_taken_out()
    {
        using LogFolder log = sample.Copy();
        string old = Assert.Single(await ListAsync(log));
        byte[] logKey = await File.ReadAllBytesAsync(log.Data.LogKey, Cancel);
        string added = await AddAsync(log, "second");
        Assert.Equal([old, added], await ListAsync(log));
        // The key ring has both keys, and the new key wraps nothing yet.
        JsonElement[] before = await StatusAsync(log);
        Assert.Equal(["period 0", "period 1", "period 2", "log key"], Strings(before[0], "stored"));
        Assert.Equal(2, Strings(before[0], "bundles").Length);
        Assert.Empty(Strings(before[1], "stored"));
        Assert.Contains($"wraps period 0, period 1, period 2, log key", await RefusedAsync(log, "kek", "remove", old),
            StringComparison.Ordinal);

        (int code, string output, string error) = await log.RunAsync("kek", "rotate");
        Assert.Equal(("", ExitCodes.Success), (error, code));
        Assert.Contains($"rewrapped with {added}: the secrets of 3 periods, and the log's key in {log.Data.LogKey}\n", output,
            StringComparison.Ordinal);
        Assert.Contains($"{old} is needed only by bundle ", output, StringComparison.Ordinal);
        Assert.NotEqual(logKey, await File.ReadAllBytesAsync(log.Data.LogKey, Cancel));
        JsonElement[] after = await StatusAsync(log);
        Assert.Empty(Strings(after[0], "stored"));
        Assert.Equal(["period 0", "period 1", "period 2", "log key"], Strings(after[1], "stored"));

        // If the command runs a second time, it has nothing to do.
        (_, output, _) = await log.RunAsync("kek", "rotate", "--json");
        JsonElement again = JsonDocument.Parse(output).RootElement;
        Assert.Equal((0, false), (again.GetProperty("periods").GetInt32(), again.GetProperty("log_key").GetBoolean()));

        Assert.Contains("--although-bundles-need-it", await RefusedAsync(log, "kek", "remove", old), StringComparison.Ordinal);
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("kek", "remove", old, "--although-bundles-need-it")).Code);
        Assert.Equal([added], await ListAsync(log));
        // The update-task continues with a ring that has only the new key, and can open all secrets.
        _ = await log.AcceptAsync(LogFolder.Item("b", "after the rotation"));
        await log.PublishAsync();
        Assert.StartsWith("clean: 12 epochs", (await log.RunAsync("fsck", "--board", log.Data.Board)).Output, StringComparison.Ordinal);
        Assert.Contains("rotate", await RefusedAsync(log, "kek", "remove", added), StringComparison.Ordinal);
    }

    [Trait("Level", "Deep")]
    [Fact]
    public async Task A_rotation_that_is_killed_leaves_what_both_keys_open()
    {
        string[] points = [.. Enumerable.Range(1, Periods).Select(i => $"{FailPoints.KekPeriod}:{i}"), FailPoints.KekPeriods,
            FailPoints.KekLogKey];
        foreach (string point in points)
        {
            using LogFolder log = sample.Copy();
            string old = Assert.Single(await ListAsync(log));
            string added = await AddAsync(log, "second");
            Assert.Equal(Killed, await RunProgramAsync(log, point, "kek", "rotate"));
            JsonElement[] status = await StatusAsync(log);
            int done = Strings(status[1], "stored").Length;
            Assert.Equal(4, Strings(status[0], "stored").Length + done);
            int expected = point.StartsWith($"{FailPoints.KekPeriod}:", StringComparison.Ordinal)
                ? point[^1] - '1'
                : point == FailPoints.KekPeriods ? Periods : Periods + 1;
            Assert.Equal(expected, done);
            if (point == FailPoints.KekPeriods)
            {
                // An update-task that starts in the middle of the rotation opens every secret. It destroys the secrets of period 0, because
                // the log no longer serves that period.
                await log.PublishAsync();
            }
            Assert.Equal(ExitCodes.Success, (await log.RunAsync("kek", "rotate")).Code);
            Assert.Empty(Strings((await StatusAsync(log))[0], "stored"));
            // The operator can undo the rotation by rotating back to the first key.
            Assert.Equal(ExitCodes.Success, (await log.RunAsync("kek", "rotate", "--to", old)).Code);
            Assert.Empty(Strings((await StatusAsync(log))[1], "stored"));
            Assert.Equal(ExitCodes.Success, (await log.RunAsync("kek", "remove", added)).Code);
        }
    }

    [Fact]
    public async Task Without_the_old_key_and_with_a_damaged_secret_nothing_is_changed()
    {
        using LogFolder log = sample.Copy();
        string old = Assert.Single(await ListAsync(log));
        string kept = await File.ReadAllTextAsync(log.Data.KeyEncryptionKey, Cancel);
        string made = await NewAsync(log, "second");
        // The host has lost the old key, because its file now has only the second key.
        File.Copy(Path.Combine(log.Data.Root, "second"), log.Data.KeyEncryptionKey, overwrite: true);
        string says = await FailedAsync(log, "kek", "rotate");
        Assert.Contains($"is wrapped by the key-encryption key {old}, which {log.Data.KeyEncryptionKey} does not have (it has {made})",
            says, StringComparison.Ordinal);
        (int code, string output, string error) = await log.RunAsync("kek", "status");
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Contains($"{old}  not known here; wraps period 0, period 1, period 2, log key", output, StringComparison.Ordinal);
        Assert.Contains(old, error, StringComparison.Ordinal);
        (code, error) = await log.RunTaskAsync();
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Contains(old, error, StringComparison.Ordinal);
        // In the first command, the file to add contains no key. In the second, the ring lacks the key to rotate to.
        await File.WriteAllTextAsync(Path.Combine(log.Data.Root, "second"), "nokey\n", Cancel);
        await File.WriteAllTextAsync(log.Data.KeyEncryptionKey, kept, Cancel);
        Assert.Contains("base64url", await FailedAsync(log, "kek", "add", Path.Combine(log.Data.Root, "second")), StringComparison.Ordinal);
        Assert.Contains("is needed", await FailedAsync(log, "kek", "rotate", "--to", made), StringComparison.Ordinal);
        Assert.Equal(ExitCodes.Usage, (await log.RunAsync("kek", "rotate", "--to", "no id")).Code);
        // If one of several secrets does not open, the rotation must not change the other secrets.
        _ = await AddAsync(log, "third");
        log.Execute(
            "UPDATE period SET wrapped_secrets = CAST(substr(wrapped_secrets, 1, 60) || zeroblob(length(wrapped_secrets) - 60) AS BLOB) WHERE period = 0");
        Assert.Contains("secrets of period 0", await FailedAsync(log, "kek", "rotate"), StringComparison.Ordinal);
        Assert.Equal(["period 0", "period 1", "period 2", "log key"], await StoredByAsync(log, old));
    }

    [Trait("Level", "Deep")]
    [Fact]
    public async Task Two_rotations_at_once_leave_what_one_more_brings_together()
    {
        using LogFolder log = sample.Copy();
        _ = await AddAsync(log, "second");
        _ = await AddAsync(log, "third");
        string[] keys = await ListAsync(log);
        Task<(int Code, string Output, string Error)>[] both =
            [.. Enumerable.Range(0, 8).Select(i => Task.Run(() => log.RunAsync("kek", "rotate", "--to", keys[1 + (i % 2)]), Cancel))];
        foreach ((int code, _, string error) in await Task.WhenAll(both))
        {
            // Each of the concurrent rotations must either complete or report that it did not complete.
            Assert.True(
                code == ExitCodes.Success
                    || (code == ExitCodes.Usage
                        && (error.Contains("Another rotation", StringComparison.Ordinal)
                            || error.Contains("run the command again", StringComparison.Ordinal))), error);
        }
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("kek", "status")).Code);
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("kek", "rotate")).Code);
        Assert.Equal(["period 0", "period 1", "period 2", "log key"], await StoredByAsync(log, keys[2]));
        await log.PublishAsync();
    }

    [Fact]
    public async Task An_export_of_before_is_restored_beside_the_new_key()
    {
        using LogFolder log = sample.Copy();
        string old = Assert.Single(await ListAsync(log));
        string kept = Path.Combine(log.Data.Root, "first");
        File.Copy(log.Data.KeyEncryptionKey, kept);
        string export = Path.Combine(log.Data.Root, "export");
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("export", export)).Code);
        string added = await AddAsync(log, "second");
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("kek", "rotate")).Code);
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("kek", "remove", old, "--although-bundles-need-it")).Code);

        Array.ForEach(["", "-wal", "-shm"], suffix => File.Delete(log.Data.Database + suffix));
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("migrate")).Code);
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("import", export)).Code);
        (int code, string error) = await log.RunTaskAsync();
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Contains($"is wrapped by the key-encryption key {old}", error, StringComparison.Ordinal);
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("kek", "add", kept)).Code);
        Assert.Equal(["period 0", "period 1", "period 2"], await StoredByAsync(log, old));
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("kek", "rotate", "--to", added)).Code);
        Assert.Equal(["period 0", "period 1", "period 2", "log key"], await StoredByAsync(log, added));
        await log.PublishAsync();
    }

    /// <summary>
    /// Tests an import of bundles into an older copy of the database. Either the copy was made before a rotation, and the bundles before
    /// and after it; or the copy was made after the rotation, and the bundles before it.
    /// </summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task An_older_copy_is_brought_forward_over_a_rotation(int copiedAt)
    {
        using LogFolder log = plain.Copy();
        string database = log.Data.Database;
        string old = Assert.Single(await ListAsync(log));
        await using (PeriodLog periods = await PeriodLog.OpenAsync(log))
        {
            Keep(0);
            await periods.StageAsync();
            string added = await AddAsync(log, "second");
            Assert.Equal(ExitCodes.Success, (await log.RunAsync("kek", "rotate")).Code);
            Keep(1);
            await periods.SwitchAsync();
            await periods.PublishAsync(LogFolder.Item("a", "set in period 1"));
            await periods.StageAsync();
            Assert.Equal(["period 0", "period 1", "period 2", "log key"], await StoredByAsync(log, added));
            await periods.SwitchAsync();
            await periods.PublishAsync(LogFolder.Item("a", "set in period 2"));
        }
        LogFolder.CopyDatabase(database + ".old", database);
        log.Execute("UPDATE head SET holder = '', lease_end = 0");
        (int code, _, string error) = await log.RunAsync("import-bundles", log.Bundles);
        Assert.Equal(("", ExitCodes.Success), (error, code));
        Assert.StartsWith("clean: ", (await log.RunAsync("fsck", "--board", log.Data.Board)).Output, StringComparison.Ordinal);
        // The import wraps secrets by the key that wraps the secrets of the copy's current period. Every secret opens, and one more
        // rotation wraps all of them by the same key.
        Assert.Equal(copiedAt == 0, (await StoredByAsync(log, old)).Contains("period 1"));
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("kek", "rotate")).Code);
        Assert.Empty(await StoredByAsync(log, old));
        await log.PublishAsync();

        void Keep(int at)
        {
            if (at == copiedAt)
            {
                LogFolder.CopyDatabase(database, database + ".old");
            }
        }
    }

    [Fact]
    public async Task Secrets_of_before_keys_had_names_are_rotated_too()
    {
        using LogFolder log = plain.Copy();
        string old = Assert.Single(await ListAsync(log));
        // Earlier releases wrapped secrets in this format, which lacks the key's id. The test wraps the secrets in this format with the
        // same key.
        string unnamed = await UnnamedAsync(log);
        log.Execute($"UPDATE period SET wrapped_secrets = x'{unnamed}'");
        Assert.Equal(["period 0", "log key"], await StoredByAsync(log, old));
        string added = await AddAsync(log, "second");
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("kek", "rotate", "--to", old)).Code);
        await using (PipelineStore store = await new SqliteStorageProvider().OpenPipelineAsync(log.ConnectionString, Cancel))
        {
            Assert.True(KeyId.TryRead((await store.ReadPeriodsAsync(Cancel))[0].WrappedSecrets.Span, out KeyId by));
            Assert.Equal(old, by.ToString());
        }
        log.Execute($"UPDATE period SET wrapped_secrets = x'{unnamed}'");
        Assert.Equal(ExitCodes.Success, (await log.RunAsync("kek", "rotate")).Code);
        Assert.Equal(["period 0", "log key"], await StoredByAsync(log, added));
    }

    private static async Task<string> UnnamedAsync(LogFolder log)
    {
        await using PipelineStore store = await new SqliteStorageProvider().OpenPipelineAsync(log.ConnectionString, Cancel);
        byte[] logId = Protocol.TrustAnchor.Load(log.Data.TrustAnchor).LogId.ToArray();
        string purpose = SecretPurpose.PeriodSecrets(0);
        byte[] secret = KeyRing.Load(log.Data).Unwrap((await store.ReadPeriodsAsync(Cancel))[0].WrappedSecrets.Span, purpose, logId);
        Assert.True(
            Protocol.Base64UrlText.TryDecode((await File.ReadAllTextAsync(log.Data.KeyEncryptionKey, Cancel)).Trim(), out byte[]? key));
        byte[] wrapped = new byte[1 + 12 + secret.Length + 16];
        wrapped[0] = 1;
        using var aes = new System.Security.Cryptography.AesGcm(key, 16);
        byte[] associated = [.. "optiks-wrap"u8, 1, (byte)purpose.Length, .. System.Text.Encoding.UTF8.GetBytes(purpose), .. logId];
        aes.Encrypt(wrapped.AsSpan(1, 12), secret, wrapped.AsSpan(13, secret.Length), wrapped.AsSpan(^16..), associated);
        return Convert.ToHexString(wrapped);
    }

    private static async Task<string> NewAsync(LogFolder log, string name)
    {
        (int code, string output, string error) = await log.RunAsync("kek", "new", "--out", Path.Combine(log.Data.Root, name));
        Assert.Equal(("", ExitCodes.Success), (error, code));
        Assert.Equal(AtomicFile.PrivateMode, File.GetUnixFileMode(Path.Combine(log.Data.Root, name)));
        Assert.Contains("never overwritten", (await log.RunAsync("kek", "new", "--out", Path.Combine(log.Data.Root, name))).Error,
            StringComparison.Ordinal);
        return output.Trim();
    }

    private static async Task<string> AddAsync(LogFolder log, string name)
    {
        string id = await NewAsync(log, name);
        (int code, string output, string error) = await log.RunAsync("kek", "add", Path.Combine(log.Data.Root, name));
        Assert.Equal(($"{log.Data.KeyEncryptionKey} has the key {id}\n", "", ExitCodes.Success), (output, error, code));
        return id;
    }

    private static async Task<string[]> ListAsync(LogFolder log) =>
        Strings(JsonDocument.Parse((await log.RunAsync("kek", "list", "--json")).Output).RootElement, "keys");

    private static async Task<JsonElement[]> StatusAsync(LogFolder log)
    {
        (int code, string output, string error) = await log.RunAsync("kek", "status", "--json");
        Assert.Equal(("", ExitCodes.Success), (error, code));
        return [.. JsonDocument.Parse(output).RootElement.GetProperty("keys").EnumerateArray()];
    }

    private static async Task<string[]> StoredByAsync(LogFolder log, string key) => Strings(
        JsonDocument.Parse((await log.RunAsync("kek", "status", "--json")).Output).RootElement.GetProperty("keys").EnumerateArray()
            .Single(one => one.GetProperty("key").GetString() == key), "stored");

    private static string[] Strings(JsonElement element, string name) =>
        [.. element.GetProperty(name).EnumerateArray().Select(one => one.GetString()!)];

    private static Task<string> RefusedAsync(LogFolder log, params string[] args) => EndsWithAsync(ExitCodes.Usage, log, args);

    private static Task<string> FailedAsync(LogFolder log, params string[] args) => EndsWithAsync(ExitCodes.Configuration, log, args);

    private static async Task<string> EndsWithAsync(int expected, LogFolder log, string[] args)
    {
        (int code, string output, string error) = await log.RunAsync(args);
        Assert.True(code == expected, $"{code} {output}{error}");
        return error;
    }

    private static async Task<int> RunProgramAsync(LogFolder log, string failPoint, params string[] args)
    {
        var start = new ProcessStartInfo(
            "dotnet", [Path.Combine(AppContext.BaseDirectory, "optiks-db.dll"), .. args])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment[DataFolder.Variable] = log.Data.Root;
        start.Environment[FailPoints.Variable] = failPoint;
        start.Environment["Optiks__Storage__ConnectionString"] = log.ConnectionString;
        using Process program = Process.Start(start)!;
        await program.WaitForExitAsync(Cancel);
        return program.ExitCode;
    }
}
