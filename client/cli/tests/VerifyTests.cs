using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Cli.Tests;

/// <summary>Tests that the command line judges saved answers without a server. These tests send no request.</summary>
public sealed class VerifyTests
{
    [Fact]
    public async Task A_lookup_is_valid_for_the_keys_that_were_asked_for()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(3, i => [("alice", $"value {i + 1}")]);
        byte[] answer = await LookupAsync(fixture, "alice", "nobody");
        CommandRun run = await VerifyAsync(fixture, answer, "alice", "nobody", "--json");
        Assert.Equal(0, run.Code);
        Assert.Equal(["present", "absent"], run.Lines.Select(line => line.GetProperty("verdict").GetString()));
        Assert.Equal("value 3", run.Lines[0].GetProperty("value").GetString());
        Assert.All(run.Lines,
            line => Assert.Equal(("valid", 3UL), (line.GetProperty("reason").GetString(), line.GetProperty("epoch").GetUInt64())));
        Assert.Contains("alice: present, version 3, epoch 3, valid", (await VerifyAsync(fixture, answer, "alice", "nobody")).Out,
            StringComparison.Ordinal);

        // Verification fails if the user gives the keys in another order than the answer's, other keys, or too few keys.
        Assert.Equal(1, (await VerifyAsync(fixture, answer, "nobody", "alice")).Code);
        Assert.Equal(1, (await VerifyAsync(fixture, answer, "alice", "bob")).Code);
        Assert.Equal(2, (await VerifyAsync(fixture, answer, "alice")).Code);
        Assert.Empty(fixture.Server.Requests);
    }

    [Fact]
    public async Task Every_changed_octet_of_a_head_is_noticed()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(3, i => [("alice", $"value {i + 1}")]);
        byte[] answer = await LookupAsync(fixture, "alice");
        Assert.Equal(0, (await VerifyAsync(fixture, answer, "alice")).Code);
        for (int i = 0; i < answer.Length; i += 37)
        {
            byte[] changed = [.. answer];
            changed[i] ^= 1;
            CommandRun run = await VerifyAsync(fixture, changed, "alice", "--json");
            // Exit code 2 means that the octets do not decode as an answer.
            Assert.True(run.Code is 1 or 2, $"octet {i}: {run.Code}");
            Assert.NotEqual("present", run.Json.GetProperty("verdict").GetString());
        }
    }

    [Fact]
    public async Task Each_kind_is_judged_by_its_own_rules()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(4, i => [("alice", $"value {i + 1}")]);
        byte[] head = (await fixture.Log.HeadAsync(4, 0))!;
        byte[] history = [.. head, .. fixture.Log.Versions(4, [new FixtureQuery("alice"u8.ToArray(), 0, 1)], 256)];
        byte[] rest = [.. head, .. fixture.Log.Versions(4, [new FixtureQuery("alice"u8.ToArray(), 0, 2)], 256)];
        string genesis = Write(fixture, "genesis", fixture.Log.Record(0));
        string first = Write(fixture, "first", fixture.Log.Record(1));
        string second = Write(fixture, "second", fixture.Log.Record(2));
        (string Kind, byte[] Octets, string[] Arguments, int Code)[] cases =
        [
            ("head", head, [], 0),
            ("history or monitor answer", history, ["alice"], 0),
            ("history or monitor answer", rest, ["alice"], 0),
            ("history or monitor answer", history, ["bob"], 1),
            ("audit proof", fixture.Log.AuditProof(1, 3), ["--from-record", first, "--period-record", genesis], 0),
            ("audit proof", fixture.Log.AuditProof(0, 2), ["--from-record", genesis], 0),
            ("audit proof", fixture.Log.AuditProof(1, 3), ["--from-record", second, "--period-record", genesis], 1),
            ("record", fixture.Log.Record(3), [], 0),
            ("record", fixture.Log.Record(3), ["--from-record", second], 0),
            ("record", [.. fixture.Log.Record(3)[..2], 0xff, .. fixture.Log.Record(3)[3..]], [], 1),
            ("checkpoint", FixtureLog.Checkpoint(fixture.Log.Board(5)), [], 0),
        ];
        foreach ((string kind, byte[] octets, string[] arguments, int code) in cases)
        {
            CommandRun run = await VerifyAsync(fixture, octets, [.. arguments, "--json"]);
            JsonElement said = run.Json;
            Assert.Equal((kind, code), (said.GetProperty("kind").GetString(), run.Code));
            Assert.Equal(code == 0, said.GetProperty("verdict").GetString() == "valid");
            if (code == 0)
            {
                string text = (await VerifyAsync(fixture, octets, arguments)).Out;
                Assert.Contains("  checked  ", text, StringComparison.Ordinal);
                Assert.Contains("  not      ", text, StringComparison.Ordinal);
            }
        }
        Assert.Equal(2, (await VerifyAsync(fixture, fixture.Log.AuditProof(1, 3))).Code);
        Assert.Equal(2, (await VerifyAsync(fixture, fixture.Log.AuditProof(1, 3), "--from-record", first)).Code);
        Assert.Equal(2, (await VerifyAsync(fixture, "{}"u8.ToArray())).Code);
        Assert.Empty(fixture.Server.Requests);
    }

    [Fact]
    public async Task A_file_that_does_not_decode_is_invalid()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        byte[] answer = await LookupAsync(fixture, "alice");
        foreach ((byte[] octets, string reason) in ((byte[], string)[])[(answer[..^1], "malformed_truncated"),
            ([.. answer, 0], "malformed_trailing"), ("nonsense"u8.ToArray(), "malformed_truncated"), ([], "malformed_truncated")])
        {
            CommandRun run = await VerifyAsync(fixture, octets, "alice", "--json");
            Assert.Equal((1, "invalid", reason),
                (run.Code, run.Json.GetProperty("verdict").GetString(), run.Json.GetProperty("reason").GetString()));
        }
        Assert.Equal(0, (await VerifyAsync(fixture, answer, "alice")).Code);
        // Exit code 2 means wrong usage: the file is valid, but the file given with `--from-record` is not a record.
        Assert.Equal(2,
            (await VerifyAsync(fixture, answer, "alice", "--from-record", Write(fixture, "bad", new byte[EpochRecord.Length - 1]))).Code);
    }

    [Theory]
    [InlineData("alice", 1, 256, 4, false)]
    [InlineData("alice", 1, 2, 2, false)]
    [InlineData("alice", 3, 256, 4, false)]
    [InlineData("alice", 5, 256, null, false)]
    [InlineData("nobody", 1, 256, 0, false)]
    [InlineData("alice", 1, 256, 4, true)]
    [InlineData("alice", 3, 256, 4, true)]
    [InlineData("alice", 5, 256, null, true)]
    public async Task Only_versions_that_a_page_lists_are_told(string key, ulong from, uint pageSize, int? version, bool isLaterPeriod)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "first"));
        if (isLaterPeriod)
        {
            fixture.Switch();
        }
        fixture.Log.PublishMany(3, i => [("alice", $"value {i + 1}")]);
        ulong epoch = fixture.Log.Latest;
        byte[] page = [.. (await fixture.Log.HeadAsync(epoch, 0))!,
            .. fixture.Log.Versions(epoch,
                [new FixtureQuery(System.Text.Encoding.UTF8.GetBytes(key), isLaterPeriod ? 1UL : 0, from)], pageSize)];

        CommandRun json = await VerifyAsync(fixture, page, key, "--json");
        CommandRun words = await VerifyAsync(fixture, page, key);

        JsonElement told = json.Json.GetProperty("version");
        Assert.Equal((0, version), (json.Code, told.ValueKind == JsonValueKind.Null ? null : told.GetInt32()));
        Assert.Equal(version > 0, words.Out.Contains($", version {version},", StringComparison.Ordinal));
        Assert.Equal(from > 1, words.Out.Contains("the versions before the first that it lists", StringComparison.Ordinal));
        Assert.Equal(pageSize == 2, words.Out.Contains("whether there are later versions", StringComparison.Ordinal));
    }

    [Fact]
    public async Task An_old_answer_is_valid_and_not_fresh()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(2, i => [("alice", $"value {i + 1}")]);
        byte[] answer = await LookupAsync(fixture, "alice");
        Assert.Equal(0, (await VerifyAsync(fixture, answer, "alice", "--fresh")).Code);
        // Epochs are one second apart, so 310 more epochs make the answer older than `max_behind`, which is five minutes.
        fixture.Log.PublishMany(310, i => [("bob", $"{i}")]);
        CommandRun stale = await VerifyAsync(fixture, answer, "alice", "--fresh", "--json");
        Assert.Equal((1, "record_too_old"), (stale.Code, stale.Json.GetProperty("reason").GetString()));
        CommandRun kept = await VerifyAsync(fixture, answer, "alice", "--json");
        Assert.Equal((0, false), (kept.Code, kept.Json.GetProperty("fresh_checked").GetBoolean()));
    }

    private static async Task<byte[]> LookupAsync(Fixture fixture, params string[] keys)
    {
        ulong epoch = fixture.Log.Latest;
        return [.. (await fixture.Log.HeadAsync(epoch, 0))!,
            .. fixture.Log.Lookups(epoch, [.. keys.Select(key => new FixtureQuery(System.Text.Encoding.UTF8.GetBytes(key), 0, 0))])];
    }

    private static string Write(Fixture fixture, string name, byte[] octets)
    {
        string path = fixture.Folder.In(name);
        File.WriteAllBytes(path, octets);
        return path;
    }

    private static Task<CommandRun> VerifyAsync(Fixture fixture, byte[] octets, params string[] arguments)
    {
        string trust = Write(fixture, "trust.json", FixtureLog.Anchor.ToJson());
        return CommandRun.RunAsync(fixture, ["verify", Write(fixture, "saved", octets), .. arguments, "--trust", trust]);
    }
}
