using System.Text.Json;

namespace Optiks.Cli.Tests;

/// <summary>What the command line says of auditors and witnesses of a trust anchor.</summary>
public sealed class CosignerTests : IDisposable
{
    private readonly TestCosigners _cosigners = new();

    public void Dispose() => _cosigners.Dispose();

    [Fact]
    public async Task An_audited_answer_is_valid_and_another_is_not_yet_audited()
    {
        await using Fixture fixture = await StartAsync();
        string trust = fixture.Folder.In("policy.json");
        _cosigners.Anchor(1, TimeSpan.FromHours(1), ("a", 0)).Save(trust);

        CommandRun unaudited = await CommandRun.RunAsync(fixture, "lookup", "alice", "--trust", trust, "--json");
        fixture.Server.Cosignatures = () => TestCosigners.Answer(_cosigners.Sign(fixture.Log, fixture.Log.Latest + 1, fixture.Clock.UtcNow, "a"));
        CommandRun audited = await CommandRun.RunAsync(fixture, "lookup", "alice", "--trust", trust, "--json");
        CommandRun text = await CommandRun.RunAsync(fixture, "history", "alice", "--trust", trust);

        Assert.Equal((0, "not-yet"), (unaudited.Code, unaudited.Json.GetProperty("audited").GetString()));
        Assert.Equal((0, "valid"), (audited.Code, audited.Json.GetProperty("audited").GetString()));
        Assert.Contains("complete up to epoch 1, valid\n", text.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_not_audited_in_time_is_an_alarm_of_every_command()
    {
        await using Fixture fixture = await StartAsync();
        string trust = fixture.Folder.In("policy.json");
        _cosigners.Anchor(1, TimeSpan.FromSeconds(30), ("a", 0)).Save(trust);
        Assert.Equal(0, (await CommandRun.RunAsync(fixture, "lookup", "alice", "--trust", trust)).Code);
        fixture.Log.PublishMany(40, _ => []);

        CommandRun late = await CommandRun.RunAsync(fixture, "lookup", "bob", "--trust", trust, "--json");
        fixture.Server.Cosignatures = () => TestCosigners.Answer(_cosigners.Sign(fixture.Log, fixture.Log.Latest + 1, fixture.Clock.UtcNow, "a"));
        CommandRun covered = await CommandRun.RunAsync(fixture, "lookup", "bob", "--trust", trust, "--json");

        Assert.Equal((1, "absent"), (late.Code, late.Json.GetProperty("verdict").GetString()));
        JsonElement overdue = Assert.Single(late.Json.GetProperty("overdue").EnumerateArray());
        Assert.Equal((1UL, "YWxpY2U", 1UL), (overdue.GetProperty("epoch").GetUInt64(), overdue.GetProperty("key_b64").GetString(), overdue.GetProperty("version").GetUInt64()));
        Assert.StartsWith("ALARM: 1 answer believed here is not covered by enough auditors", late.Error, StringComparison.Ordinal);
        Assert.Equal((0, ""), (covered.Code, covered.Error));
        Assert.False(covered.Json.TryGetProperty("overdue", out _));
    }

    private static async Task<Fixture> StartAsync()
    {
        Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "alice's key"));
        return fixture;
    }
}
