using System.Text.Json;
using Optiks.Protocol;
using static Optiks.Cli.Tests.TrustingFixture;

namespace Optiks.Cli.Tests;

/// <summary>
/// Tests what the commands <c>monitor</c>, <c>user monitor</c>, <c>history</c> and <c>lookup</c> print once the log has begun another
/// period. The SDK's <c>HandoverTests</c> and <c>UserHandoverTests</c> test the verification.
/// </summary>
public sealed class PeriodTests
{
    [Fact]
    public async Task A_switch_is_told_and_alarms_nobody()
    {
        await using Fixture fixture = await StartAsync();
        Assert.Equal(0, (await RunAsync(fixture, "update alice one")).Code);
        Assert.Equal(0, (await RunAsync(fixture, "monitor alice")).Code);
        fixture.Switch();
        CommandRun words = await RunAsync(fixture, "monitor alice");
        fixture.Switch();
        CommandRun json = await RunAsync(fixture, "monitor alice --json");
        CommandRun again = await RunAsync(fixture, "monitor alice --json");
        CommandRun lookup = await RunAsync(fixture, "lookup alice --json");

        Assert.Equal(0, words.Code);
        Assert.Contains("period 0 ended: verified up to its last epoch, and as a copy in period 1", words.Out, StringComparison.Ordinal);
        Assert.Equal((0, "valid", "valid"), (json.Code, Text(json.Json, "verdict"), Text(json.Json, "reason")));
        Assert.Equal([1], json.Json.GetProperty("handed_over").EnumerateArray().Select(period => period.GetInt32()));
        Assert.Equal(
            (0, 0), (json.Json.GetProperty("no_guarantee").GetArrayLength(), json.Json.GetProperty("new_versions").GetArrayLength()));
        Assert.Equal(0, again.Json.GetProperty("handed_over").GetArrayLength());
        Assert.Equal((0, "present", 2), (lookup.Code, Text(lookup.Json, "verdict"), lookup.Json.GetProperty("period").GetInt32()));
    }

    [Fact]
    public async Task A_copy_has_no_epoch_that_published_it()
    {
        await using Fixture fixture = await StartAsync();
        byte[] user = "id of bob"u8.ToArray();
        fixture.PublishItems(FixtureItem.Device("alice", "one"), FixtureItem.Name("bob", user), FixtureItem.List(user, "phone"),
            FixtureItem.Device("phone", "two"));
        fixture.Switch();

        CommandRun key = await RunAsync(fixture, "lookup alice --json");
        CommandRun list = await RunAsync(fixture, "user lookup bob --json");

        JsonElement device = Assert.Single(list.Json.GetProperty("devices").EnumerateArray());
        Assert.Equal((1, 1), (key.Json.GetProperty("version").GetInt32(), device.GetProperty("version").GetInt32()));
        Assert.Equal((JsonValueKind.Null, JsonValueKind.Null),
            (key.Json.GetProperty("published_epoch").ValueKind, device.GetProperty("published_epoch").ValueKind));
    }

    [Fact]
    public async Task Epochs_that_nobody_can_verify_are_told_for_good_and_end_the_exit_code_once_accepted()
    {
        await using Fixture fixture = await StartAsync();
        Assert.Equal(0, (await RunAsync(fixture, "update alice one")).Code);
        Assert.Equal(0, (await RunAsync(fixture, "monitor alice")).Code);
        fixture.Publish(("alice", "forged"));
        fixture.Publish();
        fixture.Switch(copies => [.. copies.Select(copy => copy with { Version = 1, Value = "one"u8.ToArray() })]);
        fixture.Switch();
        CommandRun words = await RunAsync(fixture, "monitor alice");
        CommandRun json = await RunAsync(fixture, "monitor alice --json");
        CommandRun accepted = await RunAsync(fixture, "monitor alice --accept --json");
        CommandRun after = await RunAsync(fixture, "monitor alice");

        Assert.Equal(1, words.Code);
        Assert.Contains("ALARM: no guarantee for period 0: epochs 2 to 3", words.Out, StringComparison.Ordinal);
        Assert.Equal((1, "invalid", "no_guarantee"), (json.Code, Text(json.Json, "verdict"), Text(json.Json, "reason")));
        Assert.Equal("""[{"period":0,"from_epoch":2,"to_epoch":3,"accepted":false}]""", json.Json.GetProperty("no_guarantee").GetRawText());
        Assert.Equal((0, "valid"), (accepted.Code, Text(accepted.Json, "reason")));
        Assert.Equal("""[{"period":0,"from_epoch":2,"to_epoch":3,"accepted":true}]""",
            accepted.Json.GetProperty("no_guarantee").GetRawText());
        Assert.Equal(0, after.Code);
        Assert.Contains("  no guarantee for period 0: epochs 2 to 3", after.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_false_copy_is_an_alarm_with_its_reason()
    {
        await using Fixture fixture = await StartAsync();
        Assert.Equal(0, (await RunAsync(fixture, "update alice one")).Code);
        Assert.Equal(0, (await RunAsync(fixture, "monitor alice")).Code);
        fixture.Switch(_ => []);
        CommandRun json = await RunAsync(fixture, "monitor alice --json");
        CommandRun words = await RunAsync(fixture, "monitor alice");
        CommandRun accepted = await RunAsync(fixture, "monitor alice --accept");
        Assert.Equal((1, "unexpected_version"), (json.Code, Text(json.Json, "reason")));
        Assert.Equal("handover_missing", Text(Assert.Single(json.Json.GetProperty("alarms").EnumerateArray()), "handover"));
        Assert.Contains("ALARM: the key is missing as period 1 began", words.Out, StringComparison.Ordinal);
        Assert.Equal(0, accepted.Code);
    }

    [Fact]
    public async Task A_key_that_is_not_there_any_more_is_an_alarm_to_who_looked_it_up()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Publish(("bob", "one"));
        Assert.Equal(0, (await RunAsync(fixture, "lookup bob")).Code);
        fixture.Switch(_ => []);
        CommandRun words = await RunAsync(fixture, "lookup bob");
        CommandRun json = await RunAsync(fixture, "lookup bob --json");
        CommandRun other = await RunAsync(fixture, "lookup carol --json");

        Assert.Equal((1, 1, 0), (words.Code, json.Code, other.Code));
        Assert.Contains("ALARM: a version was known here before, and period 1 did not begin with it", words.Out, StringComparison.Ordinal);
        Assert.Equal(("absent", "valid", true),
            (Text(json.Json, "verdict"), Text(json.Json, "reason"), json.Json.GetProperty("not_copied").GetBoolean()));
        Assert.False(other.Json.GetProperty("not_copied").GetBoolean());
    }

    [Fact]
    public async Task A_user_is_handed_over_and_what_is_missed_is_told()
    {
        await using Fixture fixture = await StartAsync();
        Assert.Equal(0, (await RunAsync(fixture, "user create alice --device phone=1")).Code);
        using var sent = JsonDocument.Parse(fixture.Server.LastUserRequest);
        byte[] user = Base64UrlText.TryDecode(sent.RootElement.GetProperty("user_b64").GetString()!, out byte[]? id) ? id : [];
        fixture.PublishItems(FixtureItem.Name("alice", user), FixtureItem.List(user, "phone"), FixtureItem.Device("phone", "1"));
        Assert.Equal(0, (await RunAsync(fixture, "user monitor alice")).Code);
        fixture.Switch();
        CommandRun over = await RunAsync(fixture, "user monitor alice");
        fixture.Switch(
            copies => [.. copies.Select(copy => copy.Structure == StructureId.Keys ? copy with { Value = "forged"u8.ToArray() } : copy)]);
        CommandRun forged = await RunAsync(fixture, "user monitor alice --json");
        fixture.Publish();
        fixture.Switch();
        fixture.Switch();
        CommandRun missed = await RunAsync(fixture, "user monitor alice");
        CommandRun accepted = await RunAsync(fixture, "user monitor alice --accept --json");

        Assert.Equal(0, over.Code);
        Assert.Contains("period 0 ended", over.Out, StringComparison.Ordinal);
        JsonElement alarm = Assert.Single(forged.Json.GetProperty("alarms").EnumerateArray());
        Assert.Equal((1, "device", "handover_value", 2),
            (forged.Code, Text(alarm, "about"), Text(alarm, "handover"), alarm.GetProperty("period").GetInt32()));
        Assert.Contains("ALARM: device phone is not a copy of what it was when period 1 ended", missed.Out, StringComparison.Ordinal);
        Assert.Contains("ALARM: no guarantee for period 2: epochs ", missed.Out, StringComparison.Ordinal);
        Assert.Equal((0, 0), (accepted.Code, accepted.Json.GetProperty("alarms").GetArrayLength()));
    }

    [Fact]
    public async Task History_is_of_the_period_that_is_named()
    {
        await using Fixture fixture = await StartAsync();
        fixture.PublishItems(FixtureItem.Device("alice", "one"), FixtureItem.Name("carol", "id"u8.ToArray()),
            FixtureItem.List("id"u8.ToArray(), "phone"), FixtureItem.Device("phone", "1"));
        fixture.Switch();
        fixture.Publish(("alice", "two"));
        CommandRun old = await RunAsync(fixture, "history alice --period 0 --json");
        CommandRun now = await RunAsync(fixture, "history alice --period 1");
        CommandRun later = await RunAsync(fixture, "history alice --period 2 --json");
        fixture.Switch();
        CommandRun gone = await RunAsync(fixture, "history alice --period 0 --json");

        Assert.Equal((0, 0, 1), (old.Code, old.Json.GetProperty("period").GetInt32(), old.Json.GetProperty("epoch").GetInt32()));
        Assert.Equal("one", Text(old.Json.GetProperty("versions")[0], "value"));
        Assert.Contains("alice: 2 versions, complete up to epoch 3, period 1, valid", now.Out, StringComparison.Ordinal);
        Assert.Contains("version 1    copy           one, period 1", now.Out, StringComparison.Ordinal);
        Assert.Equal(2, later.Code);
        CommandRun user = await RunAsync(fixture, "user history carol --period 1 --json");
        CommandRun early = await RunAsync(fixture, "user history carol --period 3");
        Assert.Equal((0, 1, 1), (user.Code, user.Json.GetProperty("period").GetInt32(), user.Json.GetProperty("list_version").GetInt32()));
        Assert.Equal("phone", Text(Assert.Single(user.Json.GetProperty("devices").EnumerateArray()), "device"));
        Assert.Equal(2, early.Code);
        Assert.Equal((3, "period-gone"), (gone.Code, Text(gone.Json, "reason")));
    }

    [Fact]
    public async Task Saved_answers_about_periods_are_shown_and_judged()
    {
        await using Fixture fixture = await StartAsync();
        fixture.PublishItems(FixtureItem.List("id"u8.ToArray(), "phone"), FixtureItem.Device("phone", "1"));
        fixture.Publish(("alice", "one"));
        ulong last = fixture.Log.Latest;
        fixture.Switch();
        fixture.Publish(("alice", "two"));
        byte[] head = (await fixture.Log.HeadAsync(fixture.Log.Latest, 0))!;
        byte[] periods = [.. head, .. await fixture.Log.BoundsAsync(fixture.Log.Latest, 0, fixture.Log.Latest)];
        byte[] ended = (await fixture.Log.HeadAsync(last, 0, fixture.Log.Latest))!;
        byte[] history = [.. ended, .. fixture.Log.Versions(last, [new FixtureQuery("alice"u8.ToArray(), 0, 1)], 256)];
        byte[] user = [.. ended,
            .. fixture.Log.UserMonitor(last, new UserMonitorQuery("id"u8.ToArray()) { From = 1 }.Encode(),
                new Native.UserMonitorPage(256, 2048, 1024, 1 << 22), out _)];
        Save(fixture, "periods", periods);
        Save(fixture, "history", history);
        Save(fixture, "user", user);
        Save(fixture, "first", fixture.Log.Record(1));
        Save(fixture, "last", fixture.Log.Record(last));

        CommandRun shown = await RunAsync(fixture, $"inspect {fixture.Folder.In("periods")}");
        CommandRun json = await RunAsync(fixture, $"inspect {fixture.Folder.In("periods")} --json");
        File.WriteAllText(fixture.Folder.In("rendered"), json.Json.GetProperty("periods_answer").GetRawText());
        CommandRun again = await RunAsync(fixture, $"inspect {fixture.Folder.In("rendered")}");
        Assert.Contains("answer about periods", shown.Out, StringComparison.Ordinal);
        Assert.Contains(", 3 bounds", shown.Out, StringComparison.Ordinal);
        Assert.Contains($"record of epoch {last}, ", shown.Out, StringComparison.Ordinal);
        Assert.Contains(", 3 bounds", again.Out, StringComparison.Ordinal);

        CommandRun judged = await RunAsync(
            fixture, $"verify {fixture.Folder.In("periods")} --fresh --from-record {fixture.Folder.In("first")}");
        Assert.Equal(0, judged.Code);
        Assert.Contains($"period 0 from epoch 0 to {last}, period 1 from epoch {last + 1} on", judged.Out, StringComparison.Ordinal);
        periods[^1] ^= 1;
        Save(fixture, "periods", periods);
        Assert.Equal(1, (await RunAsync(fixture, $"verify {fixture.Folder.In("periods")}")).Code);
        foreach ((string file, string more) in new[] { ("history", "alice"), ("user", "--user-b64 aWQ") })
        {
            CommandRun one = await RunAsync(
                fixture, $"verify {fixture.Folder.In(file)} {more} --ended-record {fixture.Folder.In("last")} --fresh --json");
            Assert.Equal((0, "valid", false), (one.Code, Text(one.Json, "verdict"), one.Json.GetProperty("fresh_checked").GetBoolean()));
            CommandRun other = await RunAsync(
                fixture, $"verify {fixture.Folder.In(file)} {more} --ended-record {fixture.Folder.In("first")} --json");
            Assert.Equal((1, "record_epoch"), (other.Code, Text(other.Json, "reason")));
        }
    }

    private static void Save(Fixture fixture, string name, byte[] octets) => File.WriteAllBytes(fixture.Folder.In(name), octets);

    private static string? Text(JsonElement element, string name) => element.GetProperty(name).GetString();

    private static Task<CommandRun> RunAsync(Fixture fixture, string command) => CommandRun.RunAsync(fixture, command.Split(' '));
}
