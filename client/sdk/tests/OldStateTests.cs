using System.Text.Json;
using System.Text.Json.Nodes;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>Tests that members missing in a state file become empty, and that a client compares an answer with its state.</summary>
public sealed class OldStateTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public void An_auditor_s_state_without_switches_has_none()
    {
        const string Old = """{"log_id":"AAEC","first_epoch":0,"head":{"size":1,"root":"","checkpoint":"","record":""}}""";
        Assert.Empty(JsonSerializer.Deserialize(Old, StateJson.Default.AuditState)!.Switches);
    }

    [Theory]
    [InlineData(4, 7, 5, Reason.Valid)]
    [InlineData(4, 6, 5, Reason.LeafEpochOrder)]
    [InlineData(3, 6, 5, Reason.Valid)]
    [InlineData(3, 5, 5, Reason.LeafEpochOrder)]
    [InlineData(3, 1, 5, Reason.LeafEpochOrder)]
    [InlineData(3, 1, -1, Reason.Valid)]
    [InlineData(2, 4, 5, Reason.Valid)]
    public void A_version_that_has_no_epoch_of_its_own_is_refused(int version, int time, int absent, Reason expected)
    {
        // This state is compared with an answer to a question that did not name the key's known version. A client leaves a version out of
        // its question if it does not know that the answer will be about this key.
        var before = new Seen
        {
            LeastEpoch = 4,
            At = new Cursor
            {
                Period = 0,
                Version = 2,
                Time = 4,
                ValueSha256 = ValueHash.Of("two"u8),
                AbsentEpoch = absent < 0 ? null : (ulong)absent,
            },
            PublishedEpoch = 4,
        };
        var shown = new VerifiedLookup((ulong)version, (ulong)time, (ulong)time, ..3);
        bool learnt = LearnRules.TryLearn(before, null, shown, "two"u8.ToArray(), 0, 9, 9, out Seen after, out Reason reason);
        Assert.Equal((expected, expected == Reason.Valid, (ulong)version), (reason, learnt, after.At.Version));
    }

    [Fact]
    public void A_first_version_is_no_older_than_its_absence()
    {
        var before = new Seen { LeastEpoch = 7, At = new Cursor { Period = 0, AbsentEpoch = 7 } };
        foreach ((ulong time, Reason expected) in new[] { (8UL, Reason.Valid), (7UL, Reason.LeafEpochOrder) })
        {
            LearnRules.TryLearn(before, null, new VerifiedLookup(1, time, time, ..3), "one"u8.ToArray(), 0, 9, 9, out _, out Reason reason);
            Assert.Equal(expected, reason);
        }
    }

    // Returns the paths of all members in a JSON object. The path of a map's element contains the element's key.
    private static IEnumerable<string> Members(JsonObject node, string prefix)
    {
        foreach ((string name, JsonNode? value) in node)
        {
            yield return prefix + name;
            foreach (string inner in value is JsonObject deeper ? Members(deeper, $"{prefix}{name}/") : [])
            {
                yield return inner;
            }
        }
    }
}
