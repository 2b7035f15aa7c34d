namespace Optiks.Cli.Tests;

/// <summary>Tests <c>optiks state</c>, which prints the stored state in words.</summary>
public sealed class StateTests
{
    [Fact]
    public async Task The_state_is_printed_without_asking_a_server()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("bob", "bob's secret value"));
        fixture.Server.PublishAtOnce = false;
        await RunAsync(fixture, "update alice first --note hidden");
        fixture.Server.PublishPending();
        fixture.Clock.UtcNow = fixture.Log.Now;
        Assert.Equal(0, (await RunAsync(fixture, "monitor alice")).Code);
        fixture.Publish(("alice", "foreign"));
        await RunAsync(fixture, "monitor alice");
        await RunAsync(fixture, "update alice second");
        await RunAsync(fixture, "lookup bob");
        await RunAsync(fixture, "user create carol --device phone=telephone");
        int asked = fixture.Server.Requests.Count;

        CommandRun run = await RunAsync(fixture, "state");

        Assert.Equal((0, asked), (run.Code, fixture.Server.Requests.Count));
        string[] lines = run.Out.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.StartsWith("log: ", lines[0], StringComparison.Ordinal);
        Assert.Equal("head: checkpoint of size 4, record of epoch 3 in period 0", lines[1]);
        Assert.Contains("key alice: version 2 of period 0, shown up to epoch 3", lines);
        Assert.Contains("own key alice: verified up to version 2 of period 0 at epoch 3; 1 change waits; 1 alarm", lines);
        Assert.Contains("key bob: version 1 of period 0, shown up to epoch 3", lines);
        Assert.Contains("statements about key alice: 2 present, 1 absent", lines);
        Assert.Contains("notes of key alice: 1", lines);
        Assert.Contains(lines, line => line.StartsWith("own user ", StringComparison.Ordinal)
            && line.Contains(": carol; continues from period 0; follows ", StringComparison.Ordinal));
        foreach (string secret in (string[])["secret", "hidden", "first", "second", "foreign", "telephone"])
        {
            Assert.DoesNotContain(secret, run.Out, StringComparison.Ordinal);
        }

        CommandRun json = await RunAsync(fixture, "state --json");
        Assert.Equal(lines, json.Json.GetProperty("state").EnumerateArray().Select(line => line.GetString()));
    }

    [Fact]
    public async Task A_new_client_has_nothing_but_the_log()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        CommandRun run = await RunAsync(fixture, "state");
        Assert.Equal(0, run.Code);
        Assert.Single(run.Out.Split('\n', StringSplitOptions.RemoveEmptyEntries));
    }

    private static Task<CommandRun> RunAsync(Fixture fixture, string line) => CommandRun.RunAsync(fixture, line.Split(' '));
}
