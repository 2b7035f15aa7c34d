using System.Text.Json;
using System.Text.Json.Nodes;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>Tests that the client reads state files of earlier versions, and that members missing in such a file become empty.</summary>
public sealed class OldStateTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_state_of_the_first_version_is_read_and_gone_on_with()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        string log = Base64UrlText.Encode(FixtureLog.Anchor.LogId.Span);
        Directory.CreateDirectory(fixture.Folder.In("client/values"));
        File.WriteAllText(fixture.Folder.In("client/values/7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"), "one");
        // Version 0.1.0 wrote this file for a client that had looked up the key "alice" and set its value.
        File.WriteAllText(
            fixture.Folder.In("client/state.json"),
            $$$"""{"log_id":"{{{log}}}","keys":{"YWxpY2U":{"least_epoch":1,"period":0,"version":1,"time":1,"absent_epoch":1,"published_epoch":1,"value_sha256":"7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"} },"owned":{"YWxpY2U":{"period":0,"version":0,"time":0,"expected":[{"request_id":"0193a2f0-7c1e-7abc-8def-0123456789ab","value_sha256":"7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"}],"alarms":[]} } }""");

        using FileClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);

        Assert.Equal((0, 0, 0), (store.Current.Names.Count, store.Current.Users.Count, store.Current.OwnedUsers.Count));
        LookupResult found = await client.LookupAsync("alice", Cancellation);
        Assert.Equal((true, true), (found.IsValid, found.Unchanged));
        MonitorResult monitored = await client.MonitorAsync("alice"u8.ToArray(), Cancellation);
        Assert.Equal((true, 0, 0), (monitored.IsValid, monitored.Alarms.Count, monitored.Pending));
        await client.CreateUserAsync(["carol"u8.ToArray()], [], cancellationToken: Cancellation);
        Assert.Single(store.Current.OwnedUsers);
    }

    [Fact]
    public async Task Every_member_that_may_be_missing_is_empty_then()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using (FileClientStateStore store = await fixture.OpenStoreAsync())
        {
            OptiksClient client = fixture.Client(store);
            await client.UpdateAsync("alice"u8.ToArray(), "two"u8.ToArray(), cancellationToken: Cancellation);
            fixture.Clock.UtcNow = fixture.Log.Now;
            Assert.True((await client.MonitorAsync("alice"u8.ToArray(), Cancellation)).IsValid);
            client.KeepNote("alice"u8.ToArray(), "two"u8.ToArray(), "a note"u8.ToArray(), client.NewRequestId());
            await client.CreateUserAsync(
                ["carol"u8.ToArray()], [new UserDeviceValue("phone"u8.ToArray(), "key"u8.ToArray())], cancellationToken: Cancellation);
        }
        string file = fixture.Folder.In("client/state.json");
        JsonObject whole = JsonNode.Parse(File.ReadAllText(file))!.AsObject();
        string[] members = [.. Members(whole, "")];
        int read = 0;
        foreach (string path in members)
        {
            JsonNode state = whole.DeepClone();
            string[] names = path.Split('/');
            JsonNode parent = names[..^1].Aggregate(state, (node, name) => node[name]!);
            if (parent[names[^1]] is not (JsonObject or JsonArray) || path == "head")
            {
                continue;
            }
            parent.AsObject().Remove(names[^1]);
            File.WriteAllText(file, state.ToJsonString());
            using FileClientStateStore store = await fixture.OpenStoreAsync();
            // The client can write the state, no matter which member was missing.
            Assert.True(store.TryUpdate(current => current with { Fork = null }, []), path);
            read++;
        }
        Assert.True(read >= 8, string.Join(' ', members));
    }

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
        var before = new KeyState
        {
            LeastEpoch = 4,
            Period = 0,
            Version = 2,
            Time = 4,
            PublishedEpoch = 4,
            ValueSha256 = ValueHash.Of("two"u8),
            AbsentEpoch = absent < 0 ? null : (ulong)absent,
        };
        var shown = new VerifiedLookup((ulong)version, (ulong)time, (ulong)time, ..3);
        bool learnt = KeyRules.TryLearn(before, null, shown, "two"u8.ToArray(), 0, 9, 9, out KeyState after, out Reason reason);
        Assert.Equal((expected, expected == Reason.Valid, (ulong)version), (reason, learnt, after.Version));
    }

    [Fact]
    public void A_first_version_is_no_older_than_its_absence()
    {
        var before = new KeyState { LeastEpoch = 7, Period = 0, Version = 0, Time = 0, AbsentEpoch = 7 };
        foreach ((ulong time, Reason expected) in new[] { (8UL, Reason.Valid), (7UL, Reason.LeafEpochOrder) })
        {
            KeyRules.TryLearn(before, null, new VerifiedLookup(1, time, time, ..3), "one"u8.ToArray(), 0, 9, 9, out _, out Reason reason);
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
