using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>
/// Tests how a client handles an answer that contradicts the signed view in its state. If the log signed the second view, the verdict is a
/// fork; otherwise the answer is false.
/// </summary>
public sealed class ForkTests
{
    private static readonly byte[] Alice = "alice"u8.ToArray();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public static TheoryData<string, int, int> Views
    {
        get
        {
            var views = new TheoryData<string, int, int>();
            foreach (string call in (string[])["lookup", "history", "monitor"])
            {
                // Each pair has the size of the kept view, and the number of epochs by which the second view is larger. Some sizes are
                // powers of two.
                foreach ((int kept, int more) in ((int, int)[])[(3, 0), (4, 0), (3, 1), (4, 1), (5, 9)])
                {
                    views.Add(call, kept, more);
                }
            }
            return views;
        }
    }

    [Theory]
    [MemberData(nameof(Views))]
    public async Task A_second_signed_view_is_a_fork_with_evidence_that_anyone_can_check(string call, int keptSize, int more)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using FixtureLog second = await SplitAsync(fixture, keptSize, more);
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.True((await AskAsync(client, call)).IsValid);
        fixture.Server.Log = second;
        fixture.Clock.UtcNow = second.Now;

        VerifiedAnswer fork = await AskAsync(client, call);

        Assert.Equal((Verdict.Fork, Reason.Fork), (fork.Verdict, fork.Reason));
        EvidenceCheck.Proves(Assert.IsType<string>(fork.EvidencePath));
        Assert.Equal(fork.EvidencePath, store.Current.Fork?.EvidencePath);
        fixture.Server.Log = fixture.Log;
        Assert.Equal(Verdict.Fork, (await AskAsync(client, "lookup")).Verdict);
    }

    [Theory]
    [InlineData("another record", Reason.InclusionProof, "agrees with what was verified before")]
    [InlineData("another record, no board", Reason.InclusionProof, "could not be told")]
    [InlineData("another record, a smaller checkpoint", Reason.InclusionProof, "smaller than the one kept")]
    [InlineData("another record, an unsigned checkpoint", Reason.InclusionProof, "not one that the log signed")]
    [InlineData("another record, a board that hangs", Reason.InclusionProof, "could not be told")]
    [InlineData("another record, false tiles", Reason.InclusionProof, "could not be told")]
    [InlineData("another proof of consistency", Reason.CheckpointConsistency, "agrees with what was verified before")]
    [InlineData("nothing", Reason.Valid, null)]
    public async Task A_lying_server_can_not_make_a_fork(string lie, Reason reason, string? detail)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(3, i => [("alice", $"{i}")]);
        fixture.Clock.UtcNow = fixture.Log.Now;
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        bool hangs = lie.EndsWith("hangs", StringComparison.Ordinal);
        OptiksClient client = fixture.Client(
            store, change: options => hangs ? options with { AnswerWithin = TimeSpan.FromSeconds(3) } : options);
        Assert.True((await client.LookupAsync(Alice, Cancellation)).IsValid);
        if (lie.StartsWith("another proof", StringComparison.Ordinal) || lie.EndsWith("tiles", StringComparison.Ordinal))
        {
            // The log publishes more epochs honestly, so that there are proofs and tiles to lie about.
            fixture.Publish(("bob", "b"));
        }
        Lie(fixture, lie);

        LookupResult result = await client.LookupAsync(Alice, Cancellation);

        Assert.Equal(reason, result.Reason);
        Assert.Null(result.EvidencePath);
        Assert.Null(store.Current.Fork);
        Assert.Contains(detail ?? "", result.Detail ?? "", StringComparison.Ordinal);
        fixture.Server.Mutate = (_, answer) => answer;
        fixture.Server.Refuse = _ => null;
        fixture.Server.Hang = _ => false;
        Assert.Equal(Verdict.Present, (await client.LookupAsync(Alice, Cancellation)).Verdict);
    }

    [Theory]
    [InlineData("another history", false)]
    [InlineData("another history", true)]
    [InlineData("behind", false)]
    [InlineData("behind", true)]
    public async Task A_replica_with_a_smaller_checkpoint_is_behind_or_of_another_history(string what, bool answers)
    {
        await using Fixture fixture = await Fixture.StartAsync(replicas: 2);
        using FixtureLog second = await SplitAsync(fixture, 5, 0);
        fixture.Publish(("alice", "later"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.True((await client.LookupAsync(Alice, Cancellation)).IsValid);
        // Replica 0 is honest, but serves only its board.
        fixture.Replica(0).Refuse = path => path.StartsWith("/v1/", StringComparison.Ordinal) ? (503, "unavailable") : null;
        fixture.Replica(1).IgnoresKeptSize = answers;
        if (what == "behind")
        {
            fixture.Replica(1).Lag = 4;
        }
        else
        {
            fixture.Replica(1).Log = second;
        }

        if (what == "behind")
        {
            if (answers)
            {
                Assert.Equal(Verdict.Stale, (await client.LookupAsync(Alice, Cancellation)).Verdict);
            }
            else
            {
                await Assert.ThrowsAsync<OptiksServerException>(() => client.LookupAsync(Alice, Cancellation));
            }
            Assert.Null(store.Current.Fork);
            return;
        }
        LookupResult fork = await client.LookupAsync(Alice, Cancellation);
        Assert.Equal(Verdict.Fork, fork.Verdict);
        EvidenceCheck.Proves(Assert.IsType<string>(fork.EvidencePath));
    }

    [Fact]
    public async Task A_second_view_whose_server_gives_no_tiles_stays_invalid_and_says_so()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using FixtureLog second = await SplitAsync(fixture, 3, 2);
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.True((await client.LookupAsync(Alice, Cancellation)).IsValid);
        fixture.Server.Log = second;
        fixture.Clock.UtcNow = second.Now;
        fixture.Server.Refuse = path => path.StartsWith("/log/tile/", StringComparison.Ordinal) ? (404, "not-found") : null;

        LookupResult result = await client.LookupAsync(Alice, Cancellation);

        Assert.Equal((Verdict.Invalid, Reason.CheckpointConsistency), (result.Verdict, result.Reason));
        Assert.Contains("could not be told", result.Detail, StringComparison.Ordinal);
        Assert.Null(store.Current.Fork);
        // As a control, let the server serve the board's tiles again. The client then finds the fork.
        fixture.Server.Refuse = _ => null;
        Assert.Equal(Verdict.Fork, (await client.LookupAsync(Alice, Cancellation)).Verdict);
    }

    [Fact]
    public async Task A_search_asks_for_little_whatever_size_the_log_signed()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.True((await client.LookupAsync(Alice, Cancellation)).IsValid);
        byte[] note = FixtureLog.Checkpoint(ulong.MaxValue - 1, new byte[32]);
        fixture.Server.Mutate = (path, answer) => path switch
        {
            "/v1/lookup" => Flip(answer, 34 + 7),
            "/log/checkpoint" => note,
            _ => answer,
        };
        // Serve a tile of zeros at every path.
        fixture.Server.Tile = path => new byte[path.Width * 32];

        LookupResult result = await client.LookupAsync(Alice, Cancellation);

        Assert.Equal(Verdict.Invalid, result.Verdict);
        Assert.Null(store.Current.Fork);
        Assert.InRange(fixture.Server.Requests.Count(request => request.StartsWith("GET /log/", StringComparison.Ordinal)), 2, 64);
    }

    /// <summary>
    /// Publishes epochs until the fixture's log has the number of epochs in the parameter <paramref name="size"/>. Returns a second log
    /// that differs from the fixture's log in the last of these epochs. The second log then continues with the number of epochs in the
    /// parameter <paramref name="more"/>.
    /// </summary>
    private static Task<FixtureLog> SplitAsync(Fixture fixture, int size, int more)
    {
        fixture.Log.PublishMany(size - 2, i => [("alice", $"{i}")]);
        FixtureLog second = fixture.Log.Fork((ulong)size - 1);
        fixture.Publish(("alice", "true"));
        second.Publish(("alice", "false"));
        second.PublishMany(more, i => [("other", $"{i}")]);
        return Task.FromResult(second);
    }

    private static void Lie(Fixture fixture, string lie)
    {
        byte[] smaller = FixtureLog.Checkpoint(fixture.Log.Board(2));
        fixture.Server.Mutate = (path, answer) => path switch
        {
            // This changes the count of a tree's leaves. The record stays well formed, but differs from the record in the log.
            "/v1/lookup" when lie.StartsWith("another record", StringComparison.Ordinal) =>
                Flip(answer, 66 + EpochRecord.HashLength + (2 * StructureState.Length) + 7),
            "/v1/lookup" when lie.StartsWith("another proof", StringComparison.Ordinal) => FlipConsistency(answer),
            "/log/checkpoint" when lie.EndsWith("smaller checkpoint", StringComparison.Ordinal) => smaller,
            "/log/checkpoint" when lie.EndsWith("unsigned checkpoint", StringComparison.Ordinal) => Flip(answer, answer.Length - 20),
            _ when lie.EndsWith("tiles", StringComparison.Ordinal) && path.StartsWith("/log/tile/", StringComparison.Ordinal) =>
                Flip(answer, 5),
            _ => answer,
        };
        fixture.Server.Refuse = path => lie.EndsWith("no board", StringComparison.Ordinal)
            && path.StartsWith("/log/", StringComparison.Ordinal) ? (503, "unavailable") : null;
        fixture.Server.Hang = path => lie.EndsWith("hangs", StringComparison.Ordinal) && path.StartsWith("/log/", StringComparison.Ordinal);
    }

    private static byte[] FlipConsistency(byte[] answer)
    {
        ReadOnlyMemory<byte> consistency = LookupAnswer.Decode(answer).Head.Consistency;
        Assert.False(consistency.IsEmpty);
        Assert.True(System.Runtime.InteropServices.MemoryMarshal.TryGetArray(consistency, out ArraySegment<byte> segment));
        return Flip(answer, segment.Offset);
    }

    private static byte[] Flip(byte[] octets, int position)
    {
        octets[position] ^= 1;
        return octets;
    }

    private static async Task<VerifiedAnswer> AskAsync(OptiksClient client, string call) => call switch
    {
        "lookup" => await client.LookupAsync(Alice, Cancellation),
        "history" => await client.HistoryAsync(Alice, Cancellation),
        _ => await client.MonitorAsync(Alice, Cancellation),
    };
}
