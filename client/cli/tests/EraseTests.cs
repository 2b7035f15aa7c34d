using static Optiks.Cli.Tests.TrustingFixture;

namespace Optiks.Cli.Tests;

public sealed class EraseTests
{
    [Fact]
    public async Task The_receipt_says_what_is_gone_and_until_when_a_copy_may_be_served()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Publish(("alice", "one"));
        fixture.Publish(("alice", "two"));
        CommandRun sent = await RunAsync(fixture, "erase alice --from 1 --to 1 --json");
        fixture.Server.ErasureStatus = """{"status":"erased","epoch":2,"erased":[{"structure":"keys","period":0,"version":1,"epoch":1}]}""";
        CommandRun json = await RunAsync(fixture, "erase alice --from 1 --to 1 --wait --json");
        CommandRun words = await RunAsync(fixture, "erase alice --from 1 --to 1 --wait");

        Assert.Equal((0, "accepted", "pending"), (sent.Code, Text(sent, "verdict"), Text(sent, "reason")));
        Assert.Equal((0, "accepted", "values_erased", 2),
            (json.Code, Text(json, "verdict"), Text(json, "reason"), json.Json.GetProperty("epoch").GetInt32()));
        Assert.Equal(("keys", 1),
            (json.Json.GetProperty("erased")[0].GetProperty("structure").GetString(),
                json.Json.GetProperty("erased")[0].GetProperty("version").GetInt32()));
        Assert.True(json.Json.GetProperty("served_until_ms").GetInt64() > fixture.Log.Now.ToUnixTimeMilliseconds());
        Assert.Equal(0, words.Code);
        Assert.Contains("alice: erased for good in epoch 2, 1 values, says the server", words.Out, StringComparison.Ordinal);
        Assert.Contains("  gone     keys version 1, published in epoch 1", words.Out, StringComparison.Ordinal);
        Assert.Contains("  until    ", words.Out, StringComparison.Ordinal);
        Assert.Contains("backups", words.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_refusal_says_why_and_waiting_that_ends_too_early_goes_on_under_the_same_id()
    {
        await using Fixture fixture = await StartAsync();
        byte[] user = "id of alice"u8.ToArray();
        fixture.PublishItems(FixtureItem.Name("alice", user), FixtureItem.List(user));
        CommandRun late = await RunAsync(fixture, "user erase alice --wait --timeout 0");
        fixture.Server.ErasureStatus = """{"status":"refused","reason":"user-not-left"}""";
        CommandRun refused = await RunAsync(fixture, "user erase alice --wait --json");
        fixture.Server.ErasureStatus = """{"status":"refused","reason":"latest-version","current":{"period":0,"version":7}}""";
        CommandRun latest = await RunAsync(fixture, "user erase alice --from 1 --to 7 --wait");
        fixture.Server.ErasureStatus = """{"status":"refused","reason":"other-period","current":{"period":1,"version":2}}""";
        CommandRun across = await RunAsync(fixture, "user erase alice --from 1 --to 1 --wait");
        CommandRun nobody = await RunAsync(fixture, "user erase bob --json");

        Assert.Equal(3, late.Code);
        Assert.Contains("--wait --request-id ", late.Out, StringComparison.Ordinal);
        Assert.Equal((3, "user-not-left"), (refused.Code, Text(refused, "reason")));
        Assert.Equal(3, latest.Code);
        Assert.Contains("that is version 7", latest.Error, StringComparison.Ordinal);
        Assert.Equal(3, across.Code);
        Assert.Contains("those of period 0, and another one is current, 1", across.Error, StringComparison.Ordinal);
        Assert.Equal((3, "user-unknown"), (nobody.Code, Text(nobody, "reason")));
    }

    [Theory]
    [InlineData("erase alice")]
    [InlineData("erase alice --from 1")]
    [InlineData("erase alice --from 0 --to 1")]
    [InlineData("erase alice --from 2 --to 1")]
    [InlineData("erase alice --from 1 --to 1025")]
    [InlineData("user erase alice --to 1")]
    [InlineData("erase alice --from 1 --to 1 --request-id 00000000-0000-0000-0000-000000000000")]
    public async Task Wrong_usage_sends_nothing(string command)
    {
        await using Fixture fixture = await StartAsync();
        Assert.Equal(2, (await RunAsync(fixture, command)).Code);
        Assert.Empty(fixture.Server.Requests);
    }

    private static Task<CommandRun> RunAsync(Fixture fixture, string command) => CommandRun.RunAsync(fixture, command.Split(' '));

    private static string Text(CommandRun run, string name) => run.Json.GetProperty(name).GetString()!;
}
