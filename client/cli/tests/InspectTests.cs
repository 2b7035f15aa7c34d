using Optiks.Protocol;

namespace Optiks.Cli.Tests;

public sealed class InspectTests
{
    [Fact]
    public async Task A_lookup_answer_shows_its_ladder_and_its_paths()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(5, i => [("alice", $"value {i + 1}"), ($"key-{i}", "v")]);
        byte[] answer = [.. (await fixture.Log.HeadAsync(5, 0))!, .. fixture.Log.Lookups(5, [new FixtureQuery("alice"u8.ToArray(), 0, 0)])];
        CommandRun run = await InspectAsync(fixture, answer, "--key", "alice");
        Assert.Equal(0, run.Code);
        Assert.Contains($"lookup answer, {answer.Length} octets, 1 key", run.Out, StringComparison.Ordinal);
        Assert.Contains("latest version 5; ladder 1 2 4 5", run.Out, StringComparison.Ordinal);
        Assert.Contains("version 4 exists, inserted in epoch 4", run.Out, StringComparison.Ordinal);
        Assert.Contains("version 6 does not exist", run.Out, StringComparison.Ordinal);
        Assert.Contains("goes left; right", run.Out, StringComparison.Ordinal);
        Assert.Contains("value 5 (7 octets)", run.Out, StringComparison.Ordinal);
        Assert.Contains("Nothing above has been verified.", run.Out, StringComparison.Ordinal);
        CommandRun withoutKey = await InspectAsync(fixture, answer);
        Assert.DoesNotContain("label  ", withoutKey.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_json_form_reads_like_the_binary_one()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(3, i => [("alice", $"value {i + 1}"), ($"key-{i}", "v")]);
        byte[] lookup = [.. (await fixture.Log.HeadAsync(3, 0))!,
            .. fixture.Log.Lookups(3, [new FixtureQuery("alice"u8.ToArray(), 0, 0), new FixtureQuery("nobody"u8.ToArray(), 0, 0)])];
        byte[] monitor = [.. (await fixture.Log.HeadAsync(3, 0))!,
            .. fixture.Log.Versions(3, [new FixtureQuery("alice"u8.ToArray(), 0, 1)], 256)];
        await AssertSameAsync(fixture, lookup, AnswerJson.WriteLookupAnswer);
        await AssertSameAsync(fixture, monitor, AnswerJson.WriteVersionsAnswer);
    }

    [Fact]
    public async Task Every_kind_of_file_is_told_apart()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(3, i => [("alice", $"value {i + 1}")]);
        byte[] head = (await fixture.Log.HeadAsync(3, 0))!;
        (byte[] Octets, string Starts)[] files =
        [
            (head, $"head, {head.Length} octets"),
            (fixture.Log.Record(2), $"record of epoch 2, {EpochRecord.Length} octets"),
            (fixture.Log.AuditProof(1, 3), "audit proof of epochs 1 to 3"),
            (FixtureLog.Checkpoint(fixture.Log.Board(4)), "checkpoint, "),
            ([.. head, .. fixture.Log.Versions(3, [new FixtureQuery("alice"u8.ToArray(), 0, 1)], 256)], "history or monitor answer"),
        ];
        foreach ((byte[] octets, string starts) in files)
        {
            CommandRun run = await InspectAsync(fixture, octets);
            Assert.Equal(0, run.Code);
            Assert.StartsWith(starts, run.Out, StringComparison.Ordinal);
            Assert.Equal("not_verified", (await InspectAsync(fixture, octets, "--json")).Json.GetProperty("reason").GetString());
        }
        Assert.Equal(2, (await InspectAsync(fixture, head[..^1])).Code);
        Assert.Equal(2, (await InspectAsync(fixture, "{}"u8.ToArray())).Code);
    }

    [Fact]
    public async Task A_stored_answer_in_json_stays_json_on_one_line()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(2, i => [("alice", $"value {i + 1} \u202e")]);
        byte[] lookup = [.. (await fixture.Log.HeadAsync(2, 0))!, .. fixture.Log.Lookups(2, [new FixtureQuery("alice"u8.ToArray(), 0, 0)])];
        using var pretty = new MemoryStream();
        using (var writer = new System.Text.Json.Utf8JsonWriter(
            pretty, new System.Text.Json.JsonWriterOptions { Indented = true, Encoder = AnswerJson.Encoder }))
        {
            AnswerJson.WriteLookupAnswer(writer, lookup);
        }
        CommandRun run = await InspectAsync(fixture, pretty.ToArray(), "--json");
        System.Text.Json.JsonElement member = run.Json.GetProperty("answer").GetProperty("lookups")[0].GetProperty("members")
            .EnumerateArray().Last();
        Assert.Equal("value 2 \u202e", member.GetProperty("value").GetString());
    }

    private static async Task AssertSameAsync(
        Fixture fixture, byte[] answer, Action<System.Text.Json.Utf8JsonWriter, ReadOnlyMemory<byte>> write)
    {
        using var json = new MemoryStream();
        using (var writer = new System.Text.Json.Utf8JsonWriter(json))
        {
            write(writer, answer);
        }
        CommandRun binary = await InspectAsync(fixture, answer, "--key", "alice");
        CommandRun rendered = await InspectAsync(fixture, json.ToArray(), "--key", "alice");
        Assert.Equal((0, 0), (binary.Code, rendered.Code));
        Assert.Equal(binary.Out.Split('\n')[1..], rendered.Out.Split('\n')[1..]);
    }

    private static async Task<CommandRun> InspectAsync(Fixture fixture, byte[] octets, params string[] more)
    {
        string file = fixture.Folder.In("saved");
        File.WriteAllBytes(file, octets);
        return await CommandRun.RunAsync(fixture, ["inspect", file, .. more]);
    }
}
