using System.Text;
using System.Text.Json;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Tests;

/// <summary>
/// Tests that no replica serves an erased value again, no matter from which source the replica loads its trees (docs/spec/erasure.md
/// section 5).
/// </summary>
public sealed class ErasureTests : TwoEpochTests
{
    private const string Name = "erasing";
    private const string Section = "--Optiks:QueryService";

    private string Leaves => Path.Combine(Log.Folder.Replicas, Name, "leaves");

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_replica_that_follows_shows_an_erased_value_no_more(bool isStored)
    {
        await Log.PublishAsync(("alice", "the third value"));
        await Log.PublishAsync(("alice", "the last value"), ("bob", "his second"));
        await using Replica replica = await Replica.StartReadyAsync(Log, Name, Mode(isStored));
        Assert.Equal(["one", "two", "the third value", "the last value"], await HistoryAsync(replica, "alice"));
        Assert.Contains("the third value", await ReadLeavesAsync(), StringComparison.Ordinal);
        await Log.EraseAsync(("alice", 3), ("alice", 1));
        await replica.WaitForEpochAsync(5);
        Assert.Equal(["-", "two", "-", "the last value"], await HistoryAsync(replica, "alice"));
        Assert.Equal(["his", "his second"], await HistoryAsync(replica, "bob"));
        Assert.Equal("the last value", await LookupAsync(replica, "alice"));
        string leaves = await ReadLeavesAsync();
        Assert.DoesNotContain("the third value", leaves, StringComparison.Ordinal);
        Assert.Contains("the last value", leaves, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_replica_that_starts_again_from_what_it_had_erases_before_it_answers(bool isStored)
    {
        await Log.PublishAsync(("alice", "the third value"));
        await (await Replica.StartReadyAsync(Log, Name, Mode(isStored))).DisposeAsync();
        Assert.Contains("two", await ReadLeavesAsync(), StringComparison.Ordinal);
        await Log.PublishAsync(("carol", "hers"));
        await Log.EraseAsync(("alice", 2));
        await using Replica replica = await Replica.StartReadyAsync(Log, Name, Mode(isStored));
        Assert.Equal(["one", "-", "the third value"], await HistoryAsync(replica, "alice"));
        Assert.DoesNotContain("two", await ReadLeavesAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Neither_does_one_whose_files_were_put_back_to_an_older_copy()
    {
        await Log.PublishAsync(("alice", "the third value"));
        await (await Replica.StartReadyAsync(Log, Name)).DisposeAsync();
        string folder = Path.GetDirectoryName(Leaves)!;
        string copy = folder + ".copy";
        Directory.CreateDirectory(copy);
        foreach (string file in (string[])["leaves", "snapshot"])
        {
            File.Copy(Path.Combine(folder, file), Path.Combine(copy, file));
        }
        await Log.EraseAsync(("alice", 2));
        await (await Replica.StartReadyAsync(Log, Name)).DisposeAsync();
        Assert.DoesNotContain("two", await ReadLeavesAsync(), StringComparison.Ordinal);
        foreach (string file in (string[])["leaves", "snapshot"])
        {
            File.Copy(Path.Combine(copy, file), Path.Combine(folder, file), overwrite: true);
        }
        Assert.Contains("two", await ReadLeavesAsync(), StringComparison.Ordinal);
        await using Replica replica = await Replica.StartReadyAsync(Log, Name);
        Assert.Equal(["one", "-", "the third value"], await HistoryAsync(replica, "alice"));
        Assert.DoesNotContain("two", await ReadLeavesAsync(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Another_replicas_older_snapshot_does_not_bring_it_back(bool isStored)
    {
        await Log.PublishAsync(("alice", "the third value"));
        // The donor saves a snapshot now, and does not save another one after the erasure.
        await using Replica donor = await Replica.StartReadyAsync(Log, "donor");
        string snapshot = Path.Combine(Log.Folder.Replicas, "donor", "snapshot");
        while (!File.Exists(snapshot))
        {
            await Task.Delay(20, Cancellation);
        }
        await Log.EraseAsync(("alice", 2));
        string[] settings = [.. Mode(isStored), $"{Section}:SnapshotPeers:0", donor.Client.BaseAddress!.ToString(),
            $"{Section}:SnapshotPeerKeyFile", Log.SnapshotKeyFile];
        await using Replica replica = await Replica.StartReadyAsync(Log, Name, settings);
        Assert.Equal(["one", "-", "the third value"], await HistoryAsync(replica, "alice"));
        Assert.DoesNotContain("two", await ReadLeavesAsync(), StringComparison.Ordinal);
        Assert.Equal("the third value", await LookupAsync(replica, "alice"));
    }

    [Fact]
    public async Task There_is_no_lookup_of_a_key_whose_latest_value_is_gone()
    {
        await Log.EraseAsync(("bob", 1));
        await using Replica replica = await Replica.StartReadyAsync(Log, Name);
        Assert.Null(await replica.ProblemAsync(Replica.Post("/v1/lookup", """{"key": "bob"}"""), ProblemTypes.Erased));
        Assert.Null(await replica.ProblemAsync(Replica.Get("/v1/lookup?key=bob"), ProblemTypes.Erased));
        Assert.Null(await replica.ProblemAsync(Replica.Post("/v1/history", """{"key": "bob"}"""), ProblemTypes.Erased, asOwner: true));
        Assert.Null(await replica.ProblemAsync(Replica.Post("/v1/monitor", """{"key": "bob"}"""), ProblemTypes.Erased, asOwner: true));
        // The service refuses a request for two keys if one key's value is erased, even if all proofs are cached.
        Assert.Null(await replica.ProblemAsync(Replica.Post("/v1/lookup", """[{"key": "alice"}, {"key": "bob"}]"""), ProblemTypes.Erased));
        Assert.Equal("two", await LookupAsync(replica, "alice"));
    }

    private static string[] Mode(bool isStored) => isStored ? [$"{Section}:NodeCacheBytes", "1048576"] : [];

    private async Task<string> ReadLeavesAsync() => Encoding.Latin1.GetString(await File.ReadAllBytesAsync(Leaves, Cancellation));

    // Returns a key's history as its owner sees it, with "-" for a version whose value is erased.
    private static async Task<string[]> HistoryAsync(Replica replica, string key)
    {
        JsonElement answer = await replica.JsonAsync(Replica.Post("/v1/monitor", $$"""{"key": "{{key}}"}"""), asOwner: true);
        return
        [
            .. answer.GetProperty("versions")[0].GetProperty("members").EnumerateArray()
                .Select(member => member.TryGetProperty("value", out JsonElement value) ? value.GetString()! : "-"),
        ];
    }

    private static async Task<string?> LookupAsync(Replica replica, string key)
    {
        JsonElement answer = await replica.JsonAsync(Replica.Post("/v1/lookup", $$"""{"key": "{{key}}"}"""));
        return answer.GetProperty("lookups")[0].GetProperty("members").EnumerateArray().Last().GetProperty("value").GetString();
    }
}
