using System.Text;
using System.Text.Json;
using Optiks.Protocol;
using static Optiks.Cli.Tests.TrustingFixture;

namespace Optiks.Cli.Tests;

public sealed class CommandTests
{
    [Fact]
    public async Task A_lookup_prints_what_was_verified()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Publish(("alice", "alice's key"));

        CommandRun alice = await CommandRun.RunAsync(fixture, "lookup", "alice");
        CommandRun bob = await CommandRun.RunAsync(fixture, "lookup", "bob");

        Assert.Equal(
            """
            alice: present, version 1, epoch 1, valid, not yet audited
              value    alice's key
              checked  the log's signature on 2 epochs, the record of epoch 1 among them (2026-09-21 14:13:21Z), the proofs in its tree

            """,
            alice.Out);
        Assert.Equal((0, ""), (alice.Code, alice.Error));
        Assert.StartsWith("bob: absent, epoch 1, valid, not yet audited\n", bob.Out, StringComparison.Ordinal);
        Assert.Equal(0, bob.Code);
    }

    [Fact]
    public async Task A_lookup_as_json_is_one_object_a_key()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Publish(("alice", "alice's key"), ("\u0001", "\u0002"));

        CommandRun run = await CommandRun.RunAsync(fixture, "lookup", "alice", "bob", "\u0001", "--json");

        Assert.Equal(0, run.Code);
        Assert.Equal(
            """{"verdict":"present","reason":"valid","epoch":1,"key":"alice","key_b64":"YWxpY2U","version":1,"not_copied":false,"published_epoch":1,"value_b64":"YWxpY2UncyBrZXk","value":"alice's key","unchanged":false,"period":0,"time_ms":1790000001000,"checkpoint_size":2,"audited":"not-yet"}""",
            run.Lines[0].GetRawText());
        Assert.Equal(
            """{"verdict":"absent","reason":"valid","epoch":1,"key":"bob","key_b64":"Ym9i","version":0,"not_copied":false,"period":0,"time_ms":1790000001000,"checkpoint_size":2,"audited":"not-yet"}""",
            run.Lines[1].GetRawText());
        Assert.False(run.Lines[2].TryGetProperty("value", out _));
        Assert.Equal("Ag", run.Lines[2].GetProperty("value_b64").GetString());
    }

    [Fact]
    public async Task An_invalid_proof_is_exit_code_1_and_prints_no_value()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Publish(("alice", "alice's key"));
        fixture.Server.Mutate = (path, answer) => path == "/v1/lookup" ? Replace(answer, "alice's key", "mallory key") : answer;

        CommandRun json = await CommandRun.RunAsync(fixture, "lookup", "alice", "--json");
        CommandRun text = await CommandRun.RunAsync(fixture, "lookup", "alice");

        Assert.Equal((1, 1), (json.Code, text.Code));
        Assert.Equal("""{"verdict":"invalid","reason":"member_root","epoch":null,"key":"alice","key_b64":"YWxpY2U","at_fault":true}""",
            json.Json.GetRawText());
        Assert.Equal("alice: invalid, member_root\n", text.Out);
        Assert.Contains("report it", text.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_fork_is_exit_code_5_with_evidence_and_stays_so()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Publish(("alice", "one"));
        using FixtureLog second = fixture.Log.Fork(2);
        fixture.Publish(("alice", "two"));
        second.Publish(("alice", "false"));
        Assert.Equal(0, (await CommandRun.RunAsync(fixture, "lookup", "alice")).Code);
        byte[] lie = [.. (await second.HeadAsync(2, 0))!, .. second.Lookups(2, [new FixtureQuery("alice"u8.ToArray(), 0, 0)])];
        fixture.Server.Mutate = (path, answer) => path == "/v1/lookup" ? lie : answer;

        CommandRun fork = await CommandRun.RunAsync(fixture, "lookup", "alice", "--json");
        fixture.Server.Mutate = (_, answer) => answer;
        CommandRun later = await CommandRun.RunAsync(fixture, "lookup", "alice");

        Assert.Equal((5, "invalid", "fork"), (fork.Code, Text(fork.Json, "verdict"), Text(fork.Json, "reason")));
        Assert.True(File.Exists(Path.Combine(Text(fork.Json, "evidence"), "received-checkpoint.txt")));
        Assert.Equal(5, later.Code);
        Assert.Contains(Text(fork.Json, "evidence"), later.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_that_steps_back_is_stale_with_exit_code_1()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Publish(("alice", "one"));
        byte[] old = [.. (await fixture.Log.HeadAsync(1, 0))!, .. fixture.Log.Lookups(1, [new FixtureQuery("alice"u8.ToArray(), 0, 0)])];
        fixture.Publish(("alice", "two"));
        Assert.Equal(0, (await CommandRun.RunAsync(fixture, "lookup", "alice")).Code);
        fixture.Server.Mutate = (path, answer) => path == "/v1/lookup" ? old : answer;
        CommandRun stale = await CommandRun.RunAsync(fixture, "lookup", "alice", "--json");
        Assert.Equal((1, "stale"), (stale.Code, Text(stale.Json, "reason")));
    }

    [Fact]
    public async Task An_update_waits_until_the_log_shows_it()
    {
        await using Fixture fixture = await StartAsync();

        CommandRun accepted = await CommandRun.RunAsync(fixture, "update", "alice", "one", "--json");
        CommandRun published = await CommandRun.RunAsync(fixture, "update", "alice", "two", "--wait", "--json");
        CommandRun refused = await CommandRun.RunAsync(fixture, "update", "alice", "three", "--wait", "--expect", "1", "--json");
        CommandRun history = await CommandRun.RunAsync(fixture, "history", "alice", "--json");

        Assert.Equal((0, "accepted", "pending"), (accepted.Code, Text(accepted.Json, "verdict"), Text(accepted.Json, "reason")));
        Assert.True(published.Json.GetProperty("confirmed").GetBoolean());
        Assert.Equal((0, "accepted", "valid", 2, 2),
            (published.Code, Text(published.Json, "verdict"), Text(published.Json, "reason"), Number(published.Json, "epoch"),
                Number(published.Json, "version")));
        Assert.Equal((3, "expected-version", 2), (refused.Code, Text(refused.Json, "reason"), Number(refused.Json, "current_version")));
        Assert.Equal(["one", "two"], history.Json.GetProperty("versions").EnumerateArray().Select(version => Text(version, "value")));
        Assert.Equal((0, "valid"), (history.Code, Text(history.Json, "verdict")));
    }

    [Fact]
    public async Task Values_come_from_files_and_standard_input()
    {
        await using Fixture fixture = await StartAsync();
        string file = fixture.Folder.In("value");
        File.WriteAllBytes(file, [0, 1, 2]);
        Assert.Equal(0, (await CommandRun.RunAsync(fixture, "update", "alice", "--file", file)).Code);
        Assert.Equal(0, (await CommandRun.RunAsync(fixture, null, [3, 4], "update", "bob", "--file", "-")).Code);
        CommandRun lookup = await CommandRun.RunAsync(fixture, "lookup", "alice", "bob", "--json");
        Assert.Equal(["AAEC", "AwQ"], lookup.Lines.Select(line => Text(line, "value_b64")));
    }

    [Fact]
    public async Task Monitoring_reports_a_version_that_was_not_set_here()
    {
        await using Fixture fixture = await StartAsync();
        Assert.Equal(0, (await CommandRun.RunAsync(fixture, "update", "alice", "one", "--wait")).Code);
        CommandRun quiet = await CommandRun.RunAsync(fixture, "monitor", "alice", "--json");
        fixture.Publish(("alice", "false"));

        CommandRun alarm = await CommandRun.RunAsync(fixture, "monitor", "--json");
        CommandRun again = await CommandRun.RunAsync(fixture, "monitor", "alice");
        fixture.Publish(("alice", "false too"));
        CommandRun accepted = await CommandRun.RunAsync(fixture, "monitor", "alice", "--accept");
        CommandRun acceptedToo = await CommandRun.RunAsync(fixture, "monitor", "alice", "--accept", "--json");
        CommandRun after = await CommandRun.RunAsync(fixture, "monitor", "alice", "--json");

        Assert.Equal((0, "valid", 1), (quiet.Code, Text(quiet.Json, "verdict"), Number(quiet.Json, "version")));
        Assert.Equal((1, "invalid", "unexpected_version"), (alarm.Code, Text(alarm.Json, "verdict"), Text(alarm.Json, "reason")));
        Assert.Equal(2, Number(alarm.Json.GetProperty("alarms")[0], "version"));
        Assert.Equal(1, again.Code);
        Assert.Contains("ALARM: version 2", again.Out, StringComparison.Ordinal);
        // The call prints and accepts the alarm about version 2. The alarm about version 3, which the same call found, stays.
        Assert.Equal(1, accepted.Code);
        Assert.Contains("  accepted: version 2, published in epoch 2: false\n", accepted.Out, StringComparison.Ordinal);
        Assert.Contains("ALARM: version 3", accepted.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("ALARM: version 2", accepted.Out, StringComparison.Ordinal);
        Assert.Equal((0, "false too"), (acceptedToo.Code, Text(acceptedToo.Json.GetProperty("accepted")[0], "value")));
        Assert.Equal(0, after.Code);
    }

    [Fact]
    public async Task An_audit_covers_all_epochs_and_resumes()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Log.PublishMany(5, i => [("alice", $"{i}")]);
        CommandRun first = await CommandRun.RunAsync(fixture, "audit", "--json");
        fixture.Publish();
        CommandRun second = await CommandRun.RunAsync(fixture, "audit", "--range", "2");
        fixture.Publish(("bob", "b"));
        fixture.Server.Mutate = (path, answer) => path.EndsWith("/audit-proof", StringComparison.Ordinal) ? answer[..^1] : answer;
        CommandRun third = await CommandRun.RunAsync(fixture, "audit", "--json");
        CommandRun elsewhere = await CommandRun.RunAsync(fixture, "audit", "--from", "3");
        CommandRun beyond = await CommandRun.RunAsync(
            fixture, "audit", "--from", "99999", "--data", fixture.Folder.In("beyond"), "--trust", fixture.Folder.In("data/trust.json"));

        Assert.Equal(
            """{"verdict":"valid","reason":"valid","epoch":5,"first_epoch":0,"verified_epochs":5,"switches":[],"checkpoint_size":6,"time_ms":1790000005000,"silent":false}""", first.Json.GetRawText());
        Assert.StartsWith("log: epochs 0 to 6, valid (1 new)\n", second.Out, StringComparison.Ordinal);
        Assert.Equal((1, "malformed_truncated", 6, 7),
            (third.Code, Text(third.Json, "reason"), Number(third.Json, "verified_to"), Number(third.Json, "failed_to")));
        Assert.Equal(2, elsewhere.Code);
        Assert.Equal(2, beyond.Code);
        Assert.Contains("its latest is 7", beyond.Error, StringComparison.OrdinalIgnoreCase);
    }

    [Fact(Timeout = 60_000)]
    public async Task Following_reports_changes_until_it_is_interrupted()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Publish(("alice", "one"));
        Assert.Equal(1, (await CommandRun.RunAsync(fixture, "monitor", "alice", "--accept")).Code);
        Assert.Equal(0, (await CommandRun.RunAsync(fixture, "monitor", "alice", "--accept")).Code);
        using var interrupt = new CancellationTokenSource();
        Task<CommandRun> audit = CommandRun.RunAsync(fixture, null, [], interrupt.Token, "audit", "--follow", "--interval", "1", "--json");
        Task<CommandRun> monitor = CommandRun.RunAsync(
            fixture, null, [], interrupt.Token, "monitor", "alice", "--follow", "--interval", "1", "--json");
        // Wait for the requests of the next round, because by then the commands have printed the results of the previous round.
        await LooksAsync(fixture, checkpoints: 2, monitors: 3);
        fixture.Publish(("alice", "false"));
        int checkpoints = fixture.Server.Requests.Count(request => request == "GET /log/checkpoint");
        int monitors = fixture.Server.Requests.Count(request => request == "POST /v1/monitor");
        await LooksAsync(fixture, checkpoints + 2, monitors + 2);
        await interrupt.CancelAsync();

        CommandRun audited = await audit;
        CommandRun monitored = await monitor;

        Assert.Equal([1, 2], audited.Lines.Select(line => Number(line, "epoch")));
        Assert.Equal(["valid", "unexpected_version"], monitored.Lines.Select(line => Text(line, "reason")));
        Assert.Equal((0, 1), (audited.Code, monitored.Code));
    }

    [Fact]
    public async Task Trust_on_first_use_pins_and_warns_once()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        CommandRun first = await CommandRun.RunAsync(fixture, "lookup", "alice");
        CommandRun second = await CommandRun.RunAsync(fixture, "lookup", "alice");
        Assert.Equal((0, 0), (first.Code, second.Code));
        Assert.Contains("trusting the log test.example/log on first use", first.Error, StringComparison.Ordinal);
        Assert.Contains("--trust FILE", first.Error, StringComparison.Ordinal);
        Assert.Equal("", second.Error);

        string other = fixture.Folder.In("other.json");
        TrustAnchor.Create((FixtureLog.Configuration with { MaxDevices = 9 }).Encode(), FixtureLog.Anchor.LogKey).Save(other);
        CommandRun wrong = await CommandRun.RunAsync(
            fixture, "lookup", "alice", "--trust", other, "--data", fixture.Folder.In("fresh"), "--json");
        Assert.Equal((1, "record_log_id"), (wrong.Code, Text(wrong.Json, "reason")));
        CommandRun mixed = await CommandRun.RunAsync(fixture, "lookup", "alice", "--trust", other);
        Assert.Equal(2, mixed.Code);
        Assert.Contains("belongs to another log", mixed.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("lookup")]
    [InlineData("lookup", "alice", "--nonsense")]
    [InlineData("update", "alice", "--wiat")]
    [InlineData("lookup", "")]
    [InlineData("lookup", "--b64", "a")]
    [InlineData("lookup", "alice", "--query-url", "nowhere")]
    [InlineData("lookup", "alice", "--trust", "/nonexistent/trust.json")]
    [InlineData("update", "alice")]
    [InlineData("update", "alice", "one", "--file", "x")]
    [InlineData("update", "alice", "--file", "/nonexistent/file")]
    [InlineData("update", "alice", "one", "--api-key", "guess")]
    [InlineData("update", "alice", "one", "--request-id", "6f1b2a30-0000-4000-8000-000000000000")]
    [InlineData("lookup", "alice", "--query-url", "http://user@localhost:1/?x")]
    [InlineData("history", "alice", "--query-url", "http://192.0.2.1:1")]
    [InlineData("update", "alice", "one", "--update-url", "http://192.0.2.1:1")]
    [InlineData("audit", "--range", "257")]
    [InlineData("monitor")]
    [InlineData("inspect", "/nonexistent/file")]
    [InlineData("nonsense")]
    [InlineData]
    public async Task Wrong_usage_is_exit_code_2_and_sends_nothing(params string[] args)
    {
        await using Fixture fixture = await StartAsync();
        CommandRun run = await CommandRun.RunAsync(fixture, args);
        Assert.Equal(2, run.Code);
        Assert.NotEqual("", run.Error);
        Assert.Empty(fixture.Server.Requests);
    }

    [Fact]
    public async Task A_server_that_refuses_or_is_away_is_exit_code_3()
    {
        await using Fixture fixture = await StartAsync();
        string other = "optiks_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA";
        CommandRun refused = await CommandRun.RunAsync(fixture, other, [], "update", "alice", "one", "--json");
        CommandRun away = await CommandRun.RunAsync(fixture, "audit", "--query-url", "http://127.0.0.1:1", "--json");
        Assert.Equal((3, "unauthorized"), (refused.Code, Text(refused.Json, "reason")));
        Assert.Equal((3, "unreachable"), (away.Code, Text(away.Json, "reason")));
        Assert.Equal(JsonValueKind.Null, away.Json.GetProperty("verdict").ValueKind);
    }

    [Fact]
    public async Task Keys_may_start_with_an_at_sign_or_a_dash()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Publish(("@alice", "at"), ("-bob", "dash"));
        CommandRun run = await CommandRun.RunAsync(fixture, "lookup", "--json", "--", "@alice", "-bob");
        Assert.Equal(["at", "dash"], run.Lines.Select(line => Text(line, "value")));
    }

    [Fact]
    public async Task Generated_keys_are_private_and_never_overwritten()
    {
        await using Fixture fixture = await StartAsync();
        string name = fixture.Folder.In("alice");
        CommandRun first = await CommandRun.RunAsync(fixture, "key", "generate", "--out", name, "--json");
        CommandRun second = await CommandRun.RunAsync(fixture, "key", "generate", "--out", name);
        Assert.Equal((0, 2), (first.Code, second.Code));
        Assert.Equal(AtomicFile.PrivateMode, File.GetUnixFileMode(name + ".key"));
        byte[] seed = File.ReadAllBytes(name + ".key");
        Assert.Equal(Native.Ed25519.PublicKey(seed), File.ReadAllBytes(name + ".value"));
        Assert.DoesNotContain(Base64UrlText.Encode(seed), first.Out, StringComparison.Ordinal);
        Assert.Equal(0, (await CommandRun.RunAsync(fixture, "update", "alice", "--file", name + ".value", "--wait")).Code);
    }

    private static async Task LooksAsync(Fixture fixture, int checkpoints, int monitors)
    {
        while (fixture.Server.Requests.Count(request => request == "GET /log/checkpoint") < checkpoints
            || fixture.Server.Requests.Count(request => request == "POST /v1/monitor") < monitors)
        {
            await Task.Delay(50, TestContext.Current.CancellationToken);
        }
    }

    private static byte[] Replace(byte[] octets, string from, string to)
    {
        int at = octets.AsSpan().IndexOf(Encoding.UTF8.GetBytes(from));
        Assert.True(at > 0);
        Encoding.UTF8.GetBytes(to).CopyTo(octets, at);
        return octets;
    }

    private static string Text(JsonElement element, string name) => element.GetProperty(name).GetString()!;

    private static int Number(JsonElement element, string name) => element.GetProperty(name).GetInt32();
}
