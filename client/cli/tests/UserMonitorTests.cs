using System.Text.Json;
using Optiks.Protocol;
using static Optiks.Cli.Tests.TrustingFixture;

namespace Optiks.Cli.Tests;

/// <summary>
/// Tests what the commands <c>user monitor</c>, <c>user history</c> and <c>user decommission</c> print. The SDK's <c>UserMonitorTests</c>
/// and <c>UserAttackTests</c> test the verification.
/// </summary>
public sealed class UserMonitorTests
{
    [Fact]
    public async Task Changes_made_here_are_seen_and_others_are_alarms_until_they_are_accepted()
    {
        await using Fixture fixture = await StartAsync();
        byte[] user = await CreateAsync(fixture);
        CommandRun seen = await RunAsync(fixture, "user monitor alice");
        CommandRun json = await RunAsync(fixture, "user monitor alice --json");
        fixture.PublishItems(FixtureItem.List(user, "ghost", "phone"), FixtureItem.Device("ghost", "its key"));
        CommandRun alarm = await RunAsync(fixture, "user monitor --json");
        CommandRun words = await RunAsync(fixture, "user monitor alice");
        CommandRun accepted = await RunAsync(fixture, "user monitor alice --accept --json");
        CommandRun after = await RunAsync(fixture, "user monitor alice --json");

        Assert.Equal(0, seen.Code);
        Assert.Contains("alice: 1 new of 1 device lists, 1 new values, none after them up to epoch 1, valid", seen.Out,
            StringComparison.Ordinal);
        Assert.Contains("  list     version 1    epoch 1        phone", seen.Out, StringComparison.Ordinal);
        Assert.Equal((0, "valid", "valid", 0),
            (json.Code, Text(json.Json, "verdict"), Text(json.Json, "reason"), json.Json.GetProperty("new_lists").GetArrayLength()));
        Assert.Equal((1, "invalid", "unexpected_version"), (alarm.Code, Text(alarm.Json, "verdict"), Text(alarm.Json, "reason")));
        Assert.Equal(["list", "device"], alarm.Json.GetProperty("alarms").EnumerateArray().Select(one => Text(one, "about")));
        Assert.Equal("ghost", Text(alarm.Json.GetProperty("alarms")[1], "device"));
        Assert.Equal(["ghost", "phone"], alarm.Json.GetProperty("devices").EnumerateArray().Select(one => Text(one, "device")));
        Assert.Equal(1, words.Code);
        Assert.Contains("ALARM: device list version 2, published in epoch 2, was not set here", words.Out, StringComparison.Ordinal);
        Assert.Contains("ALARM: device ghost, version 1, published in epoch 2, was not set here", words.Out, StringComparison.Ordinal);
        Assert.Contains("optiks user monitor alice --accept", words.Error, StringComparison.Ordinal);
        Assert.Equal((0, 0, 2),
            (accepted.Code, accepted.Json.GetProperty("alarms").GetArrayLength(), accepted.Json.GetProperty("accepted").GetArrayLength()));
        Assert.Equal("its key", Text(accepted.Json.GetProperty("accepted")[1], "value"));
        Assert.Equal(2, accepted.Json.GetProperty("accepted")[0].GetProperty("devices").GetArrayLength());
        Assert.Equal((0, 0), (after.Code, after.Json.GetProperty("alarms").GetArrayLength()));
    }

    [Fact]
    public async Task History_has_every_list_and_every_device()
    {
        await using Fixture fixture = await StartAsync();
        byte[] user = await CreateAsync(fixture);
        fixture.PublishItems(FixtureItem.List(user, "laptop"), FixtureItem.Device("laptop", "2"));
        CommandRun json = await RunAsync(fixture, "user history alice --json");
        CommandRun words = await RunAsync(fixture, "user history alice");
        CommandRun nobody = await RunAsync(fixture, "user history bob --json");
        Assert.Equal((0, "valid", 2), (json.Code, Text(json.Json, "verdict"), json.Json.GetProperty("list_version").GetInt32()));
        Assert.Equal(["laptop", "phone"], json.Json.GetProperty("devices").EnumerateArray().Select(device => Text(device, "device")));
        Assert.Equal("2", Text(json.Json.GetProperty("devices")[0].GetProperty("versions")[0], "value"));
        Assert.Contains("alice: 2 device lists, complete up to epoch 2", words.Out, StringComparison.Ordinal);
        Assert.Equal((0, "absent"), (nobody.Code, Text(nobody.Json, "verdict")));
    }

    [Fact]
    public async Task A_name_that_leads_elsewhere_is_said_by_lookup_and_also_where_nothing_is_answered()
    {
        await using Fixture fixture = await StartAsync();
        Assert.Equal(0, (await RunAsync(fixture, "user create alice --device phone=1")).Code);
        byte[] other = "id of bob"u8.ToArray();
        fixture.PublishItems(FixtureItem.Name("alice", other), FixtureItem.List(other, "tablet"), FixtureItem.Device("tablet", "x"));
        fixture.Server.Refuse = path => path == "/v1/users/monitor" ? (403, "forbidden") : null;

        CommandRun monitor = await RunAsync(fixture, "user monitor alice --json");
        CommandRun words = await RunAsync(fixture, "user monitor alice");
        CommandRun lookup = await RunAsync(fixture, "user lookup alice --json");

        Assert.Equal((1, "invalid", "unexpected_user", "forbidden"),
            (monitor.Code, Text(monitor.Json, "verdict"), Text(monitor.Json, "reason"), Text(monitor.Json, "failure")));
        Assert.Equal(Base64UrlText.Encode(other), Text(monitor.Json.GetProperty("alarms")[0], "user_b64"));
        Assert.Contains("ALARM: alice, a name of your own, leads to another user, id of bob", words.Out, StringComparison.Ordinal);
        Assert.Equal((1, "invalid", "unexpected_user"), (lookup.Code, Text(lookup.Json, "verdict"), Text(lookup.Json, "reason")));
    }

    [Fact]
    public async Task Leaving_looks_first()
    {
        await using Fixture fixture = await StartAsync();
        byte[] user = await CreateAsync(fixture);
        fixture.PublishItems(FixtureItem.List(user, "ghost", "phone"));
        CommandRun alarms = await RunAsync(fixture, "user decommission alice --json");
        CommandRun words = await RunAsync(fixture, "user decommission alice");
        Assert.DoesNotContain("decommission", System.Text.Encoding.UTF8.GetString(fixture.Server.LastUserRequest),
            StringComparison.Ordinal);
        CommandRun unseen = await RunAsync(fixture, "user decommission alice --unseen --timeout 0 --json");
        Assert.Equal((1, "invalid", "unexpected_version"), (alarms.Code, Text(alarms.Json, "verdict"), Text(alarms.Json, "reason")));
        Assert.Contains("Nothing was sent.", words.Error, StringComparison.Ordinal);
        Assert.Equal((3, "pending"), (unseen.Code, Text(unseen.Json, "reason")));
        Assert.Contains("decommission", System.Text.Encoding.UTF8.GetString(fixture.Server.LastUserRequest), StringComparison.Ordinal);
        fixture.PublishItems(FixtureItem.Left(user));
        CommandRun left = await RunAsync(fixture, "user monitor alice --accept");
        Assert.Contains("alice: has left for good", left.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_a_name_and_without_users_it_is_wrong_usage()
    {
        await using Fixture fixture = await StartAsync();
        CommandRun run = await RunAsync(fixture, "user monitor");
        Assert.Equal(2, run.Code);
        Assert.Contains("optiks user monitor alice", run.Error, StringComparison.Ordinal);
        Assert.Equal(2, (await CommandRun.RunAsync(fixture, "", [], "user", "history", "alice")).Code);
    }

    private static async Task<byte[]> CreateAsync(Fixture fixture)
    {
        CommandRun created = await RunAsync(fixture, "user create alice --device phone=1 --json");
        Assert.True(Base64UrlText.TryDecode(Text(created.Json, "user_b64"), out byte[]? user));
        fixture.PublishItems(FixtureItem.Name("alice", user), FixtureItem.List(user, "phone"), FixtureItem.Device("phone", "1"));
        return user;
    }

    private static Task<CommandRun> RunAsync(Fixture fixture, string command) => CommandRun.RunAsync(fixture, command.Split(' '));

    private static string Text(JsonElement element, string name) => element.GetProperty(name).GetString()!;
}
