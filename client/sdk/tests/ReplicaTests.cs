using System.Text;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>Tests what one hostile replica can do to a client that also has an honest replica.</summary>
public sealed class ReplicaTests
{
    private static readonly byte[] s_alice = "alice"u8.ToArray();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("html", null)]
    [InlineData("nothing", Reason.MalformedTruncated)]
    [InlineData("endless", null)]
    [InlineData("302", null)]
    [InlineData("400", null)]
    [InlineData("401", null)]
    [InlineData("403", null)]
    [InlineData("404", null)]
    [InlineData("false proof", Reason.InclusionProof)]
    [InlineData("cut", Reason.MalformedTruncated)]
    public async Task A_valid_answer_of_another_replica_counts(string what, Reason? reason)
    {
        await using Fixture fixture = await Fixture.StartAsync(replicas: 2);
        fixture.Publish(("alice", "one"));
        fixture.Publish(("alice", "two"));
        var faults = new List<ReplicaFault>();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store, change: options => options with { ReplicaFailed = faults.Add });
        Lie(fixture.Replica(0), what);

        LookupResult found = await client.LookupAsync(s_alice, Cancellation);
        HistoryResult history = await client.HistoryAsync(s_alice, Cancellation);

        Assert.Equal((Reason.Valid, 2UL), (found.Reason, found.Version));
        Assert.Equal((Reason.Valid, 2), (history.Reason, history.Versions.Count));
        ReplicaFault fault = Assert.Single(faults);
        Assert.Equal((fixture.Replica(0).Url, reason), (fault.Server, fault.Reason));
        Assert.Contains(fixture.Replica(0).Url.Authority, fault.Detail, StringComparison.Ordinal);

        // If no replica gives a valid answer, the first failure is the verdict.
        Lie(fixture.Replica(1), what == "403" ? "404" : "403");
        Lie(fixture.Replica(0), what);
        using JournalClientStateStore other = await fixture.OpenStoreAsync("other");
        OptiksClient alone = fixture.Client(other);
        if (reason is not null)
        {
            Assert.Equal(reason, (await alone.LookupAsync(s_alice, Cancellation)).Reason);
            return;
        }
        OptiksServerException failure = await Assert.ThrowsAsync<OptiksServerException>(() => alone.LookupAsync(s_alice, Cancellation));
        Assert.Equal(fixture.Replica(0).Url, failure.Server);
    }

    [Fact]
    public async Task A_value_that_one_replica_withholds_is_shown_by_another()
    {
        await using Fixture fixture = await Fixture.StartAsync(replicas: 2);
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        var faults = new List<ReplicaFault>();
        OptiksClient client = fixture.Client(store, change: options => options with { ReplicaFailed = faults.Add });
        await client.UpdateAsync(s_alice, "one"u8.ToArray(), cancellationToken: Cancellation);
        fixture.Clock.UtcNow = fixture.Log.Now;
        await client.UpdateAsync(s_alice, "two"u8.ToArray(), cancellationToken: Cancellation);
        await client.UpdateAsync(s_alice, "three"u8.ToArray(), cancellationToken: Cancellation);
        fixture.Clock.UtcNow = fixture.Log.Now;
        // Both replicas have erased the first value, and replica 0 also withholds the second value.
        fixture.Replica(0).Mutate = (path, answer) =>
            path is "/v1/history" or "/v1/monitor" ? Erasure.Of(answer, number => number <= 2) : answer;
        fixture.Replica(1).Mutate = (path, answer) =>
            path is "/v1/history" or "/v1/monitor" ? Erasure.Of(answer, number => number == 1) : answer;

        HistoryResult history = await client.HistoryAsync(s_alice, Cancellation);
        MonitorResult monitored = await client.MonitorAsync(s_alice, Cancellation);

        Assert.Equal([null, "two", "three"],
            history.Versions.Select(version => version.Value is { } value ? Encoding.UTF8.GetString(value.Span) : null));
        Assert.Equal([1UL], monitored.Alarms.Select(alarm => alarm.Version));
        // As a control, let replica 1 withhold the second value too. Then the client gets it from neither replica.
        fixture.Replica(1).Mutate = fixture.Replica(0).Mutate;
        using JournalClientStateStore other = await fixture.OpenStoreAsync("other");
        HistoryResult withheld = await fixture.Client(other).HistoryAsync(s_alice, Cancellation);
        Assert.Equal((Reason.Valid, 2), (withheld.Reason, withheld.Versions.Count(version => version.Value is null)));
    }

    [Fact]
    public async Task What_one_replica_alone_shows_is_reported()
    {
        await using Fixture fixture = await Fixture.StartAsync(replicas: 2);
        fixture.Publish(("alice", "one"));
        fixture.Publish(("alice", "two"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        var faults = new List<ReplicaFault>();
        OptiksClient client = fixture.Client(store, change: options => options with { ReplicaFailed = faults.Add });
        fixture.Replica(0).Mutate = (path, answer) => path == "/v1/history" ? Erasure.Of(answer, number => number == 1) : answer;

        Assert.All((await client.HistoryAsync(s_alice, Cancellation)).Versions, version => Assert.NotNull(version.Value));

        Assert.Equal(fixture.Replica(0).Url, Assert.Single(faults).Server);
        Assert.Contains("did not show", faults[0].Detail, StringComparison.Ordinal);
    }

    private static void Lie(FixtureServer replica, string what)
    {
        replica.Mutate = (path, answer) => !path.StartsWith("/v1/", StringComparison.Ordinal) ? answer : what switch
        {
            "nothing" => [],
            "false proof" => Flip(answer),
            "cut" => answer[..^1],
            _ => answer,
        };
        replica.AnswersHtml = what == "html";
        replica.Endless = what == "endless";
        replica.Refuse = path => path.StartsWith("/v1/", StringComparison.Ordinal) && int.TryParse(what, out int status)
            ? (status, "forbidden")
            : null;
    }

    // Changes the last octet of the first hash in the head's inclusion proof.
    private static byte[] Flip(byte[] answer)
    {
        byte[] flipped = [.. answer];
        flipped[EpochRecord.Length + 2 + 31] ^= 1;
        return flipped;
    }
}
