using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Optiks.Client;
using Optiks.Protocol;
using static Optiks.Cli.Tests.TrustingFixture;

namespace Optiks.Cli.Tests;

/// <summary>Tests how the command line handles hostile values, servers that drop updates or answer nothing, and damaged files.</summary>
public sealed class HostileTests
{
    private const string Evil = "safe\u202eevil\u200b\u2028\U000E0041";
    private const string Shown = "\"safe\\u202eevil\\u200b\\u2028\\udb40\\udc41\"";

    [Fact]
    public async Task Values_and_keys_that_a_terminal_would_act_on_are_shown_escaped_and_no_two_alike()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Publish(("alice", Evil), ("bob", "b64:AAEC"), (Evil, "x"));
        fixture.Log.Publish("carol"u8.ToArray(), [0, 1, 2]);
        fixture.Publish(("dave", "\"b64:AAEC\""), ("erin", "plain"));

        CommandRun text = await CommandRun.RunAsync(fixture, "lookup", "alice", "bob", Evil, "carol", "dave", "erin");
        CommandRun json = await CommandRun.RunAsync(fixture, "lookup", "alice", Evil, "--json");
        CommandRun history = await CommandRun.RunAsync(fixture, "history", "alice", "bob");

        Assert.Equal(
            [Shown, "\"b64:AAEC\"", "x", "b64:AAEC", "\"\\\"b64:AAEC\\\"\"", "plain"],
            text.Out.Split('\n').Where(line => line.StartsWith("  value    ", StringComparison.Ordinal)).Select(line => line[11..]));
        Assert.Contains($"\n{Shown}: present", text.Out, StringComparison.Ordinal);
        Assert.Contains(Shown, history.Out, StringComparison.Ordinal);
        Assert.All((string[])[text.Out, json.Out, history.Out],
            output => Assert.Equal(output, output.Split('\n').Select(line => DisplayText.Escape(line)).Aggregate((a, b) => a + "\n" + b)));
        // JSON output has the value exactly as it was set, for scripts.
        Assert.Equal([Evil, "x"], json.Lines.Select(line => line.GetProperty("value").GetString()));
        Assert.Equal(Evil, json.Lines[1].GetProperty("key").GetString());
    }

    [Theory]
    [InlineData("valid", "server:valid")]
    [InlineData("fork", "server:fork")]
    [InlineData("values-erased", "server:values-erased")]
    [InlineData("latest-version", "latest-version")]
    [InlineData("device-taken", "device-taken")]
    public async Task A_word_of_the_servers_does_not_pass_for_a_verdict(string word, string reason)
    {
        await using Fixture fixture = await StartAsync();
        fixture.Server.ErasureStatus = $$"""{"status":"refused","reason":"{{word}}"}""";
        fixture.Server.UserStatus = fixture.Server.ErasureStatus;

        CommandRun erased = await CommandRun.RunAsync(fixture, "erase", "alice", "--from", "1", "--to", "1", "--wait", "--json");
        CommandRun created = await CommandRun.RunAsync(fixture, "user", "create", "alice", "--wait", "--json");
        CommandRun status = await CommandRun.RunAsync(fixture, "status", Text(created.Json, "request_id"), "--json");
        fixture.Server.PublishAtOnce = false;
        fixture.Server.Mutate = (path, answer) =>
            path.StartsWith("/v1/updates/", StringComparison.Ordinal) ? Encoding.UTF8.GetBytes(fixture.Server.UserStatus) : answer;
        CommandRun updated = await CommandRun.RunAsync(fixture, "update", "alice", "one", "--wait", "--json");

        Assert.All((CommandRun[])[erased, created, status, updated],
            run => Assert.Equal((3, reason, JsonValueKind.Null),
                (run.Code, Text(run.Json, "reason"), run.Json.GetProperty("verdict").ValueKind)));
    }

    [Theory]
    [InlineData("fork", "server:fork")]
    [InlineData("valid", "server:valid")]
    [InlineData("forbidden", "forbidden")]
    public async Task A_problem_of_the_servers_does_not_pass_for_a_verdict(string problem, string reason)
    {
        await using Fixture fixture = await StartAsync();
        fixture.Server.Refuse = _ => (403, problem);

        CommandRun run = await CommandRun.RunAsync(fixture, "history", "alice", "--json");

        Assert.Equal((3, reason), (run.Code, Text(run.Json, "reason")));
    }

    [Fact]
    public async Task An_erasure_is_not_reported_together_with_an_answer_that_is_refused()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Publish(("alice", "one"), ("bob", "two"));
        fixture.Server.ErasureStatus = """{"status":"erased","epoch":1,"erased":[{"structure":"keys","period":0,"version":1,"epoch":1}]}""";
        fixture.Server.Mutate = (path, answer) => path == "/v1/lookup" ? [.. answer[..^1], (byte)(answer[^1] ^ 1)] : answer;

        CommandRun words = await CommandRun.RunAsync(fixture, "erase", "alice", "--from", "1", "--to", "1", "--wait");
        CommandRun json = await CommandRun.RunAsync(fixture, "erase", "alice", "--from", "1", "--to", "1", "--wait", "--json");

        Assert.Equal((1, 1, "invalid"), (words.Code, json.Code, Text(json.Json, "verdict")));
        Assert.DoesNotContain("erased for good", words.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Nothing_is_sent_once_the_log_forked()
    {
        await using Fixture fixture = await StartAsync();
        Assert.Equal(0, (await CommandRun.RunAsync(fixture, "update", "alice", "one")).Code);
        using (JournalClientStateStore store = await JournalClientStateStore.OpenAsync(
            fixture.Folder.In("data/client"), FixtureLog.Anchor, TimeSpan.Zero, fixture.Clock, TestContext.Current.CancellationToken))
        {
            store.TryUpdate(state => state with { Fork = new ForkState("evidence/x") }, []);
        }
        fixture.Server.Requests.Clear();

        string[][] commands = [["update", "alice", "two"], ["update", "alice", "two", "--wait"],
            ["update", "alice", "two", "--receipt", fixture.Folder.In("receipt")], ["erase", "alice", "--from", "1", "--to", "1"],
            ["user", "create", "bob"]];
        foreach (string[] command in commands)
        {
            CommandRun run = await CommandRun.RunAsync(fixture, [.. command, "--json"]);
            Assert.Equal((5, "fork"), (run.Code, Text(run.Json, "reason")));
        }
        Assert.Empty(fixture.Server.Requests);
    }

    [Fact]
    public async Task A_period_that_has_not_begun_is_wrong_usage_for_a_new_client_too()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Publish(("alice", "one"));

        CommandRun run = await CommandRun.RunAsync(fixture, "history", "alice", "--period", "7");
        CommandRun begun = await CommandRun.RunAsync(fixture, "history", "alice", "--period", "0");

        Assert.Equal((2, 0), (run.Code, begun.Code));
        Assert.Contains("has not begun period 7", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("lookup alice")]
    [InlineData("history alice")]
    [InlineData("user lookup alice")]
    [InlineData("status 0193a2f0-7c1e-7abc-8def-0123456789ab")]
    public async Task The_hint_about_what_a_server_does_not_have_suits_every_command(string command)
    {
        await using Fixture fixture = await StartAsync();
        fixture.Server.Refuse = _ => (404, "not-found");

        CommandRun run = await CommandRun.RunAsync(fixture, command.Split(' '));

        Assert.Equal(3, run.Code);
        Assert.Contains("check the name, the id and the URLs", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("look\u001b[31mup", "look\\u001b[31mup")]
    // The typed word differs from a command in only one character, so the program suggests that command. The suggestion repeats the typed
    // word, too.
    [InlineData("lookup\u001b", "lookup\\u001b")]
    public async Task A_mistyped_command_is_repeated_escaped(string typed, string shown)
    {
        await using Fixture fixture = await StartAsync();

        CommandRun run = await CommandRun.RunAsync(fixture, typed);

        Assert.Equal(2, run.Code);
        Assert.DoesNotContain('\u001b', run.Error + run.Out);
        Assert.Contains(shown, run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_dropped_update_is_never_reported_as_published()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Publish(("alice", "false"));
        fixture.Publish(("alice", "later"));
        fixture.Server.PublishAtOnce = false;
        fixture.Server.Mutate = (path, answer) => path.StartsWith("/v1/updates/", StringComparison.Ordinal)
            ? Encoding.UTF8.GetBytes("""{"status":"published","epoch":2,"items":[{"item":0,"key_b64":"YWxpY2U","version":1,"period":0}]}""")
            : answer;

        CommandRun json = await CommandRun.RunAsync(fixture, "update", "alice", "one", "--wait", "--json");
        CommandRun same = await CommandRun.RunAsync(fixture, "update", "alice", "false", "--wait", "--json");
        fixture.Server.Refuse = path => path == "/v1/history" ? (403, "forbidden") : null;
        CommandRun unproven = await CommandRun.RunAsync(fixture, "update", "alice", "false", "--wait", "--json");
        CommandRun words = await CommandRun.RunAsync(fixture, "update", "alice", "false", "--wait");

        Assert.Equal((1, "invalid", "other_value"), (json.Code, Text(json.Json, "verdict"), Text(json.Json, "reason")));
        Assert.Equal((0, "accepted", true, 1, 2),
            (same.Code, Text(same.Json, "verdict"), same.Json.GetProperty("confirmed").GetBoolean(),
                same.Json.GetProperty("epoch").GetInt32(), same.Json.GetProperty("latest_version").GetInt32()));
        Assert.Equal((3, "accepted", "not_confirmed", false),
            (unproven.Code, Text(unproven.Json, "verdict"), Text(unproven.Json, "reason"),
                unproven.Json.GetProperty("confirmed").GetBoolean()));
        Assert.Equal(3, words.Code);
        Assert.Contains("not confirmed", words.Out, StringComparison.Ordinal);
        Assert.Contains("gave no history", words.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Waiting_that_ends_too_early_is_exit_code_3_and_goes_on_under_the_same_id()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Server.PublishAtOnce = false;

        CommandRun late = await CommandRun.RunAsync(fixture, "update", "alice", "one", "--wait", "--timeout", "0", "--json");
        string id = Text(late.Json, "request_id");
        CommandRun hint = await CommandRun.RunAsync(fixture, "update", "alice", "one", "--wait", "--timeout", "0", "--request-id", id);
        CommandRun without = await CommandRun.RunAsync(fixture, "update", "alice", "one", "--request-id", id);
        fixture.Server.PublishPending();
        CommandRun done = await CommandRun.RunAsync(fixture, "update", "alice", "one", "--wait", "--request-id", id, "--json");

        Assert.Equal((3, "accepted", "pending"), (late.Code, Text(late.Json, "verdict"), Text(late.Json, "reason")));
        Assert.Equal((3, 0), (hint.Code, without.Code));
        Assert.Contains($"--wait --request-id {id}", hint.Out, StringComparison.Ordinal);
        Assert.Equal((0, 1), (done.Code, done.Json.GetProperty("version").GetInt32()));
        Assert.Equal(1UL, fixture.Log.Latest);
    }

    [Fact]
    public async Task An_update_whose_answer_was_lost_names_its_id()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Server.Refuse = path => path.StartsWith("/v1/updates/", StringComparison.Ordinal) ? (500, "internal") : null;
        CommandRun lost = await CommandRun.RunAsync(fixture, "update", "alice", "one", "--wait", "--json");
        Assert.Equal((3, "internal"), (lost.Code, Text(lost.Json, "reason")));
        Assert.Contains($"--request-id {Text(lost.Json, "request_id")}", lost.Error, StringComparison.Ordinal);
        fixture.Server.Refuse = _ => null;
        CommandRun again = await CommandRun.RunAsync(
            fixture, "update", "alice", "one", "--wait", "--request-id", Text(lost.Json, "request_id"), "--json");
        Assert.Equal((0, 1UL), (again.Code, fixture.Log.Latest));
    }

    [Theory]
    [InlineData("record")]
    [InlineData("root")]
    public async Task A_damaged_state_is_said_so_by_every_command(string member)
    {
        await using Fixture fixture = await StartAsync();
        fixture.Publish(("alice", "one"));
        Assert.Equal(0, (await CommandRun.RunAsync(fixture, "lookup", "alice")).Code);
        Assert.Equal(0, (await CommandRun.RunAsync(fixture, "audit")).Code);
        string audited = fixture.Folder.In("data/client/auditor/state.json");
        JsonNode state = JsonNode.Parse(File.ReadAllBytes(audited))!;
        state["head"]![member] = "AAEC";
        File.WriteAllText(audited, state.ToJsonString());
        string journal = fixture.Folder.In("data/client/state.journal");
        byte[] records = File.ReadAllBytes(journal);
        records[records.Length / 2] ^= 1;
        File.WriteAllBytes(journal, records);
        foreach (string command in (string[])["lookup", "history", "monitor", "state", "audit"])
        {
            CommandRun run = await CommandRun.RunAsync(fixture, command is "audit" or "state" ? [command] : [command, "alice"]);
            Assert.Equal(2, run.Code);
            string file = command == "audit" ? "state.json" : "state.journal";
            Assert.Contains($"{file} is damaged", run.Error, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task First_use_names_the_host_that_answered()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        CommandRun run = await CommandRun.RunAsync(fixture, "lookup", "alice", "--query-url", $"http://127.0.0.1:1,{fixture.Server.Url}");
        Assert.Equal(0, run.Code);
        Assert.Contains($"by what {fixture.Server.Url.Authority} says", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("127.0.0.1:1 ", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_audit_asks_the_next_replica_when_one_is_away()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Publish(("alice", "one"));
        CommandRun run = await CommandRun.RunAsync(fixture, "audit", "--query-url", $"http://127.0.0.1:1,{fixture.Server.Url}", "--json");
        Assert.Equal((0, 1), (run.Code, run.Json.GetProperty("epoch").GetInt32()));
    }

    [Fact]
    public async Task Closed_lookups_are_asked_with_the_key_only_when_that_was_said()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Publish(("alice", "one"));
        fixture.Server.LookupsAreClosed = true;
        CommandRun refused = await CommandRun.RunAsync(fixture, "lookup", "alice");
        Assert.Equal(3, refused.Code);
        Assert.Contains("--authorize-lookups", refused.Error, StringComparison.Ordinal);
        Assert.Empty(fixture.Server.Authorized);
        Assert.Equal(0, (await CommandRun.RunAsync(fixture, "lookup", "alice", "--authorize-lookups")).Code);
    }

    [Fact]
    public async Task A_key_longer_than_the_log_has_is_wrong_usage()
    {
        await using Fixture fixture = await StartAsync();
        string anchor = fixture.Folder.In("short.json");
        TrustAnchor.Create((FixtureLog.Configuration with { MaxKeyLength = 4 }).Encode(), FixtureLog.Anchor.LogKey).Save(anchor);
        CommandRun run = await CommandRun.RunAsync(fixture, "lookup", "alice", "--trust", anchor, "--data", fixture.Folder.In("short"));
        Assert.Equal(2, run.Code);
        Assert.Contains("at most 4 octets", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_fork_found_by_a_lookup_an_audit_or_history_is_exit_code_5()
    {
        foreach (string command in (string[])["lookup", "history", "monitor", "audit"])
        {
            await using Fixture fixture = await StartAsync();
            fixture.Publish(("alice", "one"));
            using FixtureLog second = fixture.Log.Fork(2);
            fixture.Publish(("alice", "two"));
            second.Publish(("alice", "false"));
            string[] args = command == "audit" ? [command, "--json"] : [command, "alice", "--json"];
            _ = await CommandRun.RunAsync(fixture, args);
            fixture.Server.Log = second;
            CommandRun fork = await CommandRun.RunAsync(fixture, args);
            Assert.Equal((5, "invalid", "fork"), (fork.Code, Text(fork.Json, "verdict"), Text(fork.Json, "reason")));
            EvidenceCheck.Proves(Text(fork.Json, "evidence"));
        }
    }

    private static string Text(JsonElement element, string name) => element.GetProperty(name).GetString()!;
}
