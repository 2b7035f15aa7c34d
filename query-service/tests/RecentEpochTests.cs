using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Tests;

/// <summary>Tests requests with <c>?at_epoch</c>, which ask about an epoch that the replica served recently (docs/spec/rest.md section
/// 4).</summary>
public sealed class RecentEpochTests : TwoEpochTests
{
    private const string Asked = """[{"key": "alice"}, {"key": "bob"}, {"key": "carol"}]""";

    private static readonly string[] s_keys = ["alice", "bob", "carol"];

    [Fact]
    public async Task Answers_are_of_the_epoch_that_is_named_under_the_newest_checkpoint()
    {
        await using Replica replica = await Replica.StartReadyAsync(Log);
        byte[] then = await LookupAsync(replica, "");
        await Log.PublishAsync(("alice", "three"), ("carol", "hers"));
        await replica.WaitForEpochAsync(3);
        foreach (string size in (string[])["", "&checkpoint_size=2", "&checkpoint_size=3"])
        {
            byte[] answer = await LookupAsync(replica, $"?at_epoch=2{size}");
            VerifierContext context = replica.Context();
            if (size.Length > 0)
            {
                int epoch = size[^1] - '1';
                Assert.Equal(Reason.Valid,
                    LogVerifier.Checkpoint(Log.Anchor, Log.Records[epoch].Checkpoint.Span, out ulong kept, out byte[] root));
                context = context with { KeptSize = kept, KeptRoot = root, KeptRecord = Log.Records[epoch].Record };
            }
            LookupVerdict verdict = Verify(context, answer);
            Assert.Equal((Reason.Valid, 2UL), (verdict.Reason, verdict.Head!.Epoch));
            Assert.Equal([2UL, 1UL, 0UL], verdict.Keys.Select(key => key.Version));
            Assert.Equal(Behind(then), Behind(answer));
        }
        Assert.Equal([3UL, 1UL, 1UL], Verify(replica.Context(), await LookupAsync(replica, "?at_epoch=3")).Keys.Select(key => key.Version));
        // The other endpoints also answer about epoch 2. A verifier that has seen a later record refuses the earlier one.
        foreach (string path in (string[])["/v1/history", "/v1/monitor"])
        {
            byte[] answer = await replica.OctetsAsync(
                Replica.Post($"{path}?at_epoch=2", Asked, path == "/v1/history" ? MediaTypes.History : MediaTypes.Monitor), asOwner: true);
            using ByteStrings keys = Keys();
            VersionsVerdict verdict = Verifier.Versions(replica.Context(), keys, new KnownKey[3], answer);
            Assert.Equal((Reason.Valid, 2UL), (verdict.Reason, verdict.Head!.Epoch));
        }
        Assert.Equal(Reason.Stale,
            Verify(replica.Context(), await LookupAsync(replica, "?at_epoch=2"), new KnownKey(3, 0, 0, 0, null)).Reason);
    }

    [Fact]
    public async Task Replicas_at_different_epochs_answer_of_one()
    {
        await using Replica one = await Replica.StartReadyAsync(Log, "one");
        byte[] then = await LookupAsync(one, "");
        await Log.PublishAsync(("alice", "three"));
        await using Replica other = await Replica.StartAsync(Log, "other");
        await other.WaitForEpochAsync(3);
        // This replica started after epoch 2, so epoch 2 is not one of its recent epochs.
        Assert.Equal("?at_epoch", await other.ProblemAsync(Replica.Post("/v1/lookup?at_epoch=2", Asked), ProblemTypes.NotFound));
        await one.WaitForEpochAsync(3);
        await Log.PublishAsync(("alice", "four"));
        await one.WaitForEpochAsync(4);
        await other.WaitForEpochAsync(4);
        Assert.Equal(Behind(await LookupAsync(one, "?at_epoch=3")), Behind(await LookupAsync(other, "?at_epoch=3")));
        Assert.Equal(Behind(then), Behind(await LookupAsync(one, "?at_epoch=2")));
    }

    [Fact]
    public async Task Only_the_last_ones_of_the_period_are_kept()
    {
        await using Replica replica = await Replica.StartReadyAsync(Log, "a", "--Optiks:QueryService:RecentEpochs", "2");
        CurrentEpoch current = replica.Services.GetRequiredService<CurrentEpoch>();
        DirectoryView first = current.Peek()!.View;
        for (ulong epoch = 3; epoch <= 5; epoch++)
        {
            Assert.True(first.TryAcquire());
            first.Release();
            await Log.PublishAsync(("alice", $"at {epoch}"));
            await replica.WaitForEpochAsync(epoch);
        }
        // The epoch is no longer recent, so the replica has freed the epoch's trees.
        Assert.False(first.TryAcquire());
        Assert.Equal("?at_epoch", await replica.ProblemAsync(Replica.Post("/v1/lookup?at_epoch=2", Asked), ProblemTypes.NotFound));
        await LookupAsync(replica, "?at_epoch=3");
        await Log.NextPeriodAsync();
        await replica.WaitForEpochAsync(6);
        Assert.Equal("?at_epoch", await replica.ProblemAsync(Replica.Post("/v1/lookup?at_epoch=5", Asked), ProblemTypes.NotFound));
        await LookupAsync(replica, "?at_epoch=6");
    }

    [Fact]
    public async Task What_is_no_epoch_or_of_later_or_gone_is_refused()
    {
        await using Replica replica = await Replica.StartReadyAsync(Log);
        foreach ((string path, string body) in ((string, string)[])[
            ("/v1/lookup", Asked), ("/v1/history", Asked), ("/v1/monitor", Asked), ("/v1/users/lookup", """{"username": "alice"}"""),
            ("/v1/users/monitor", """{"user": "alice"}""")])
        {
            Assert.Equal("?at_epoch",
                await replica.ProblemAsync(Replica.Post($"{path}?at_epoch=3", body), ProblemTypes.NotCaughtUp, asOwner: true));
            Assert.Equal("?at_epoch",
                await replica.ProblemAsync(Replica.Post($"{path}?at_epoch=02", body), ProblemTypes.MalformedRequest, asOwner: true));
            Assert.Equal("?checkpoint_size",
                await replica.ProblemAsync(
                    Replica.Post($"{path}?at_epoch=2&checkpoint_size=4", body), ProblemTypes.NotCaughtUp, asOwner: true));
        }
        Assert.Equal("?at_epoch",
            await replica.ProblemAsync(
                Replica.Post("/v1/history?at_epoch=2&period=0", Asked), ProblemTypes.MalformedRequest, asOwner: true));
        Assert.Equal("?at_epoch", await replica.ProblemAsync(Replica.Get("/v1/epochs/latest?at_epoch=2"), ProblemTypes.MalformedRequest));
        // Once a superseded version is erased, the replica can no longer make a proof with its value.
        await Log.PublishAsync(("alice", "three"));
        // If a replica catches up on several epochs at once, it serves only the last of them.
        await replica.WaitForEpochAsync(3);
        await Log.EraseAsync(("alice", 2));
        await replica.WaitForEpochAsync(4);
        await replica.ProblemAsync(Replica.Post("/v1/lookup?at_epoch=2", Asked), ProblemTypes.Erased);
        await LookupAsync(replica, "?at_epoch=3");
    }

    private static Task<byte[]> LookupAsync(Replica replica, string query) =>
        replica.OctetsAsync(Replica.Post($"/v1/lookup{query}", Asked, MediaTypes.Lookup));

    private static LookupVerdict Verify(VerifierContext context, byte[] answer, params KnownKey[] known)
    {
        using ByteStrings keys = Keys();
        return Verifier.Lookup(context, keys, [.. known, .. new KnownKey[3 - known.Length]], answer);
    }

    private static ByteStrings Keys()
    {
        var keys = new ByteStrings();
        Array.ForEach(s_keys, key => keys.Add(Encoding.UTF8.GetBytes(key)));
        return keys;
    }

    // Returns the part of an answer that comes after the head.
    private static byte[] Behind(byte[] answer) => answer[AnswerHead.SliceHead(answer).Length..];
}
