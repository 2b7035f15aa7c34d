using System.Text.Json;
using Optiks.Client;
using static Optiks.Cli.Tests.TrustingFixture;

namespace Optiks.Cli.Tests;

/// <summary>
/// Tests what the commands about users send and print. The SDK's <c>UserVectorTests</c> test the verification, and so does
/// <c>test_users.py</c> with real services.
/// </summary>
public sealed class UserTests
{
    [Fact]
    public async Task Create_sends_names_and_devices_from_arguments_and_files()
    {
        await using Fixture fixture = await StartAsync();
        File.WriteAllBytes(fixture.Folder.In("laptop.value"), [0, 1, 2]);

        CommandRun json = await CommandRun.RunAsync(fixture, "user", "create", "alice", "--device", "phone=a=b", "--device",
            $"laptop=@{fixture.Folder.In("laptop.value")}", "--json");
        using var sent = JsonDocument.Parse(fixture.Server.LastUserRequest);
        CommandRun words = await CommandRun.RunAsync(fixture, "user", "create", "alice", "--request-id", Text(json.Json, "request_id"));

        Assert.Equal((0, "accepted", "pending", "alice"),
            (json.Code, Text(json.Json, "verdict"), Text(json.Json, "reason"), Text(json.Json, "username")));
        Assert.Equal(sent.RootElement.GetProperty("user_b64").GetString(), Text(json.Json, "user_b64"));
        JsonElement create = Assert.Single(sent.RootElement.GetProperty("changes").EnumerateArray());
        Assert.Equal(
            [("cGhvbmU", "YT1i"), ("bGFwdG9w", "AAEC")],
            create.GetProperty("devices").EnumerateArray().Select(device => (Text(device, "device_b64"), Text(device, "value_b64"))));
        Assert.Equal(0, words.Code);
        Assert.Contains($"--wait --request-id {Text(json.Json, "request_id")}", words.Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("add-username", "al", """{"op":"add-username","username_b64":"YWw"}""")]
    [InlineData("add-device", "phone one", """{"op":"add-device","device_b64":"cGhvbmU","value_b64":"b25l"}""")]
    [InlineData("set-device", "phone one --expect 3",
        """{"op":"set-device","device_b64":"cGhvbmU","value_b64":"b25l","expected":{"period":0,"version":3}}""")]
    [InlineData("remove-device", "phone", """{"op":"remove-device","device_b64":"cGhvbmU"}""")]
    [InlineData("remove-device", "cGhvbmU --b64", """{"op":"remove-device","device_b64":"cGhvbmU"}""")]
    [InlineData("decommission", "--timeout 0 --unseen", """{"op":"decommission"}""")]
    public async Task A_change_names_the_user_that_was_verified_before(string command, string arguments, string change)
    {
        await using Fixture fixture = await StartAsync();
        await RememberAsync(fixture);
        string name = arguments.Contains("--b64", StringComparison.Ordinal) ? "YWxpY2U" : "alice";

        CommandRun run = await CommandRun.RunAsync(fixture, ["user", command, name, .. arguments.Split(' '), "--json"]);

        using var sent = JsonDocument.Parse(fixture.Server.LastUserRequest);
        Assert.Equal(("aWQ", change),
            (sent.RootElement.GetProperty("user_b64").GetString(),
                Assert.Single(sent.RootElement.GetProperty("changes").EnumerateArray()).GetRawText()));
        // The command `decommission` waits even without `--wait`. If the log does not prove in time that the user has left, the command
        // ends with exit code 3.
        Assert.Equal((command == "decommission" ? 3 : 0, "pending"), (run.Code, Text(run.Json, "reason")));
    }

    [Fact]
    public async Task A_refusal_says_why_and_what_can_be_done()
    {
        await using Fixture fixture = await StartAsync();
        await RememberAsync(fixture);
        fixture.Server.UserStatus = """{"status":"refused","reason":"device-taken","item":2}""";

        CommandRun words = await CommandRun.RunAsync(fixture, "user", "add-device", "alice", "phone", "one", "--wait");
        CommandRun json = await CommandRun.RunAsync(fixture, "user", "add-device", "alice", "phone", "one", "--wait", "--json");

        Assert.Equal((3, 3, "device-taken"), (words.Code, json.Code, Text(json.Json, "reason")));
        Assert.Contains("device-taken: the device id was used before, choose another one. Nothing changed.", words.Error,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("user create alice --device phone", "ID=VALUE")]
    [InlineData("user create alice --device =one", "ID=VALUE")]
    [InlineData("user add-device alice phone", "VALUE or --file")]
    [InlineData("user add-device alice phone one --request-id 00000000-0000-0000-0000-000000000000", "UUIDv7")]
    [InlineData("user remove-device alice --devise", "--devise")]
    [InlineData("user lookup alice --device =A --b64", "base64url")]
    public async Task Wrong_usage_is_said_and_sends_nothing(string command, string message)
    {
        await using Fixture fixture = await StartAsync();
        await RememberAsync(fixture);
        CommandRun run = await CommandRun.RunAsync(fixture, command.Split(' '));
        Assert.Equal(2, run.Code);
        Assert.Contains(message, run.Error, StringComparison.Ordinal);
        Assert.Empty(fixture.Server.Requests);
    }

    [Fact]
    public async Task A_server_without_users_is_said_so()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Server.Refuse = path => path.StartsWith("/v1/users/", StringComparison.Ordinal) ? (404, "not-found") : null;
        CommandRun run = await CommandRun.RunAsync(fixture, "user", "lookup", "alice", "--json");
        Assert.Equal((3, "not-found"), (run.Code, Text(run.Json, "reason")));
    }

    [Fact]
    public async Task A_request_whose_answer_was_lost_names_its_id()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Server.Refuse = path => path.StartsWith("/v1/updates/", StringComparison.Ordinal) ? (500, "internal") : null;
        CommandRun lost = await CommandRun.RunAsync(fixture, "user", "create", "alice", "--wait", "--json");
        Assert.Equal((3, "internal"), (lost.Code, Text(lost.Json, "reason")));
        Assert.Contains($"--request-id {Text(lost.Json, "request_id")}", lost.Error, StringComparison.Ordinal);
    }

    // Stores the state that an earlier lookup of the username "alice" would have stored.
    private static async Task RememberAsync(Fixture fixture)
    {
        fixture.PublishItems(FixtureItem.Name("alice", "id"u8.ToArray()), FixtureItem.List("id"u8.ToArray()));
        using JournalClientStateStore store = await JournalClientStateStore.OpenAsync(
            fixture.Folder.In("data/client"), FixtureLog.Anchor, TimeSpan.Zero, fixture.Clock, TestContext.Current.CancellationToken);
        store.TryUpdate(state => state with { Names = state.Names.Add("YWxpY2U", new NameState { LeastEpoch = 0, User = "aWQ" }) }, []);
    }

    private static string Text(JsonElement element, string name) => element.GetProperty(name).GetString()!;
}
