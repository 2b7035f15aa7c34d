namespace Optiks.Cli.Tests;

public sealed class StatusTests
{
    [Fact]
    public async Task Status_follows_an_update_from_pending_to_published()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Server.PublishAtOnce = false;
        string id = await UpdateAsync(fixture, "alice");
        CommandRun pending = await CommandRun.RunAsync(fixture, "status", id, "--json");
        Assert.Equal((0, "pending"), (pending.Code, pending.Json.GetProperty("status").GetString()));
        CommandRun late = await CommandRun.RunAsync(fixture, "status", id, "--wait", "--timeout", "0");
        Assert.Equal((3, ""), (late.Code, late.Out));

        fixture.Server.PublishPending();
        CommandRun published = await CommandRun.RunAsync(fixture, "status", id, "--wait", "--json");
        Assert.Equal((0, "published", 1UL),
            (published.Code, published.Json.GetProperty("status").GetString(), published.Json.GetProperty("epoch").GetUInt64()));
        Assert.Equal("alice", published.Json.GetProperty("items")[0].GetProperty("key").GetString());
        // The command must not print the server's statement as a verdict.
        Assert.NotEqual("valid", published.Json.GetProperty("reason").GetString());
        Assert.Contains("says the server", (await CommandRun.RunAsync(fixture, "status", id)).Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/v1/users/lookup?min_epoch=4", "optiks user lookup NAME")]
    [InlineData("/v1/lookup?min_epoch=4", "optiks lookup KEY")]
    public async Task The_link_to_the_proof_tells_which_lookup_proves_the_update(string href, string hint)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Server.PublishAtOnce = false;
        string id = await UpdateAsync(fixture, "alice");
        // The items of both kinds look alike: a change of a user may publish nothing but a device's key.
        string body =
            $$$"""{"status":"published","epoch":4,"items":[{"item":1,"structure":"keys","key_b64":"cGhvbmU","version":2,"period":0}],"proof":{"method":"POST","href":"{{{href}}}","epoch":"/v1/epochs/4"}}""";
        fixture.Server.Mutate = (path, answer) =>
            path.StartsWith("/v1/updates/", StringComparison.Ordinal) ? System.Text.Encoding.UTF8.GetBytes(body) : answer;
        CommandRun run = await CommandRun.RunAsync(fixture, "status", id);
        Assert.Equal(0, run.Code);
        Assert.Contains($"{hint} proves", run.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_refused_update_is_3_with_the_reason()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "a"));
        string id = await UpdateAsync(fixture, "alice", "--expect", "7");
        CommandRun refused = await CommandRun.RunAsync(fixture, "status", id, "--json");
        Assert.Equal((3, "expected-version", 1UL),
            (refused.Code, refused.Json.GetProperty("reason").GetString(), refused.Json.GetProperty("current_version").GetUInt64()));
        Assert.Contains("expected-version", refused.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_no_id_or_unknown_is_said_in_words()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        CommandRun none = await CommandRun.RunAsync(fixture, "status", "latest");
        Assert.Equal(2, none.Code);
        Assert.Contains("'latest' is not a valid value for status, which takes a UUID.", none.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("System.", none.Error, StringComparison.Ordinal);
        CommandRun unknown = await CommandRun.RunAsync(fixture, "status", "0193a2f0-7c1e-7abc-8def-0123456789ab");
        Assert.Equal(3, unknown.Code);
    }

    [Theory]
    [InlineData("update", "alice", "v", "--expect", "one")]
    [InlineData("update", "alice", "v", "--request-id", "mine")]
    [InlineData("update", "alice", "v", "--timeout", "soon")]
    [InlineData("audit", "--from", "start")]
    public async Task A_value_of_the_wrong_kind_is_said_without_types_of_the_runtime(params string[] args)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        CommandRun run = await CommandRun.RunAsync(fixture, args);
        Assert.Equal((2, ""), (run.Code, run.Out));
        Assert.Contains("is not a valid value for --", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("System.", run.Error, StringComparison.Ordinal);
        Assert.Empty(fixture.Server.Requests);
    }

    [Fact]
    public async Task A_misspelt_command_gets_a_suggestion()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        CommandRun run = await CommandRun.RunAsync(fixture, "lookpu", "alice");
        Assert.Equal((2, ""), (run.Code, run.Out));
        Assert.Contains("lookup", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("Required command", run.Error, StringComparison.Ordinal);
    }

    private static async Task<string> UpdateAsync(Fixture fixture, string key, params string[] more) =>
        (await CommandRun.RunAsync(fixture, ["update", key, "v", "--json", .. more])).Json.GetProperty("request_id").GetString()!;
}
