using System.Text.Json;

namespace Optiks.Cli.Tests;

/// <summary>Tests what the command line prints about the auditors and witnesses that a trust anchor names.</summary>
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
        fixture.Server.Cosignatures = () =>
            TestCosigners.Answer(_cosigners.Sign(fixture.Log, fixture.Log.Latest + 1, fixture.Clock.UtcNow, "a"));
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
        fixture.Server.Cosignatures = () =>
            TestCosigners.Answer(_cosigners.Sign(fixture.Log, fixture.Log.Latest + 1, fixture.Clock.UtcNow, "a"));
        CommandRun covered = await CommandRun.RunAsync(fixture, "lookup", "bob", "--trust", trust, "--json");

        Assert.Equal((1, "absent"), (late.Code, late.Json.GetProperty("verdict").GetString()));
        JsonElement overdue = Assert.Single(late.Json.GetProperty("overdue").EnumerateArray());
        Assert.Equal((1UL, "YWxpY2U", 1UL),
            (overdue.GetProperty("epoch").GetUInt64(), overdue.GetProperty("key_b64").GetString(),
                overdue.GetProperty("version").GetUInt64()));
        Assert.StartsWith("ALARM: 1 answer believed here is not covered by enough auditors", late.Error, StringComparison.Ordinal);
        Assert.Equal((0, ""), (covered.Code, covered.Error));
        Assert.False(covered.Json.TryGetProperty("overdue", out _));
    }

    [Fact]
    public async Task A_person_may_end_the_alarm_about_what_was_reported()
    {
        await using Fixture fixture = await StartAsync();
        string trust = fixture.Folder.In("policy.json");
        _cosigners.Anchor(1, TimeSpan.FromSeconds(30), ("a", 0)).Save(trust);
        Assert.Equal(0, (await CommandRun.RunAsync(fixture, "lookup", "alice", "--trust", trust)).Code);
        CommandRun early = await CommandRun.RunAsync(fixture, "overdue", "--trust", trust);
        fixture.Log.PublishMany(40, _ => []);
        Assert.Equal(1, (await CommandRun.RunAsync(fixture, "lookup", "bob", "--trust", trust)).Code);

        CommandRun listed = await CommandRun.RunAsync(fixture, "overdue", "--trust", trust);
        CommandRun other = await CommandRun.RunAsync(fixture, "overdue", "--trust", trust, "--accept", "0", "--json");
        CommandRun accepted = await CommandRun.RunAsync(fixture, "overdue", "--trust", trust, "--accept", "1", "--json");
        CommandRun after = await CommandRun.RunAsync(fixture, "overdue", "--trust", trust);

        Assert.Equal((0, "Nothing that was believed here waits longer for auditors than the trust anchor allows.\n"),
            (early.Code, early.Out));
        Assert.Equal(1, listed.Code);
        Assert.StartsWith("alice, version 1 (SHA-256 ", listed.Out, StringComparison.Ordinal);
        Assert.Contains("optiks overdue --accept 1.", listed.Error, StringComparison.Ordinal);
        Assert.Equal((1, "invalid", "overdue", 1, 0), Shown(other));
        Assert.Equal((0, "valid", "valid", 0, 1), Shown(accepted));
        Assert.Equal(("", 0, early.Out), (accepted.Error, after.Code, after.Out));
        // The answer of a later lookup was not overdue at first. It becomes overdue after its own time limit.
        fixture.Log.PublishMany(40, _ => []);
        CommandRun later = await CommandRun.RunAsync(fixture, "overdue", "--trust", trust, "--accept", "1");
        Assert.Equal(1, later.Code);
        Assert.StartsWith("bob, no version, of epoch 41,", later.Out, StringComparison.Ordinal);
    }

    private static (int Code, string? Verdict, string? Reason, int Overdue, int Accepted) Shown(CommandRun run) =>
        (run.Code, run.Json.GetProperty("verdict").GetString(), run.Json.GetProperty("reason").GetString(),
            run.Json.GetProperty("overdue").GetArrayLength(), run.Json.GetProperty("accepted").GetArrayLength());

    private static async Task<Fixture> StartAsync()
    {
        Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "alice's key"));
        return fixture;
    }
}
