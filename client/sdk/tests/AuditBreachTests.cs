using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>
/// Tests that a breach in the signed entries convicts the log for good, and that a server's false answer does not convict the log.
/// </summary>
public sealed class AuditBreachTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("a VRF key for one epoch", Reason.RecordVrfKey)]
    [InlineData("an epoch is skipped", Reason.RecordEpoch)]
    [InlineData("an epoch twice", Reason.RecordEpoch)]
    [InlineData("time steps back", Reason.RecordTime)]
    [InlineData("another record before", Reason.RecordPrevious)]
    [InlineData("leaves are gone", Reason.RecordCount)]
    [InlineData("a switch that is early", Reason.RecordPeriod)]
    [InlineData("another log", Reason.RecordLogId)]
    [InlineData("nothing", Reason.Valid)]
    public async Task A_record_that_breaks_a_rule_is_proven_and_ends_it(string what, Reason reason)
    {
        await using Fixture fixture = await StartAsync(5);
        string evidence;
        using (AuditorSession session = await OpenAsync(fixture))
        {
            Assert.True((await session.AuditAsync(null, Cancellation)).IsValid);
            fixture.Log.PublishRecord(honest => Changed(honest, what));
            // In the next epoch the log reverts the false change. So an auditor that compared only the first and last record would find no
            // fault.
            fixture.Log.PublishRecord(honest => honest with
            {
                Epoch = 7,
                TimeMs = honest.TimeMs + FixtureLog.StepMs,
                Structures = EpochRecord.Decode(fixture.Log.Record(5)).Structures,
                LogId = FixtureLog.Anchor.LogId,
                Period = 0,
                PeriodFirstEpoch = 0,
            });
            fixture.Clock.UtcNow = fixture.Log.Now;

            AuditResult result = await session.AuditAsync(null, Cancellation);

            if (what == "nothing")
            {
                Assert.Equal((Reason.Valid, 7UL), (result.Reason, result.Epoch));
                return;
            }
            Assert.Equal((reason, true, 5UL), (result.Reason, result.IsProven, result.Epoch));
            Assert.Equal((5UL, 6UL), result.FailedRange);
            evidence = Assert.IsType<string>(result.EvidencePath);
            Assert.Equal(reason, EvidenceCheck.ProvesBreach(evidence));
            // The auditor reached this verdict without requesting an append-only proof.
            Assert.DoesNotContain("GET /v1/epochs/5-7/audit-proof", fixture.Server.Requests);
        }
        // Nothing that the server shows later changes the verdict.
        fixture.Server.Lag = 5;
        fixture.Server.Requests.Clear();
        using AuditorSession reopened = await OpenAsync(fixture);
        AuditResult again = await reopened.AuditAsync(null, Cancellation);
        Assert.Equal((reason, true, evidence), (again.Reason, again.IsProven, again.EvidencePath));
        Assert.Empty(fixture.Server.Requests);
    }

    [Theory]
    [InlineData("a leaf is dropped", Reason.AppendNewRoot)]
    [InlineData("an insertion is hidden", Reason.AppendNewRoot)]
    [InlineData("an insertion is not listed", Reason.AppendLeafCount)]
    [InlineData("nothing", Reason.Valid)]
    public async Task A_tree_that_does_not_grow_as_listed_is_refused_by_every_server_and_stays_so(string what, Reason reason)
    {
        await using Fixture fixture = await Fixture.StartAsync(replicas: 2);
        fixture.Log.PublishMany(5, i => [("alice", $"{i}"), ($"key-{i}", "v")]);
        fixture.Clock.UtcNow = fixture.Log.Now;
        using AuditorSession session = await OpenAsync(fixture);
        Assert.True((await session.AuditAsync(null, Cancellation)).IsValid);
        StructureState keys = EpochRecord.Decode(fixture.Log.Record(5)).Structures[2];
        StructureState[] all = [.. EpochRecord.Decode(fixture.Log.Record(5)).Structures];
        all[2] = what switch
        {
            // Sign the root of epoch 4, whose tree lacks leaves of the current tree, together with the leaf count of the current tree.
            "a leaf is dropped" => EpochRecord.Decode(fixture.Log.Record(4)).Structures[2] with { Count = keys.Count },
            "an insertion is hidden" => keys with { Root = Enumerable.Repeat((byte)7, 32).ToArray() },
            "an insertion is not listed" => keys with { Count = keys.Count + 1 },
            _ => keys,
        };
        fixture.Log.PublishRecord(honest => honest with { Structures = all });
        if (what != "an insertion is not listed")
        {
            fixture.Log.PublishRecord(honest => honest with { Structures = EpochRecord.Decode(fixture.Log.Record(5)).Structures });
        }
        fixture.Clock.UtcNow = fixture.Log.Now;

        AuditResult result = await session.AuditAsync(null, Cancellation);

        Assert.Equal(reason, result.Reason);
        Assert.Equal(what == "nothing" ? 7UL : 5UL, result.Epoch);
        Assert.False(result.IsProven);
        Assert.Equal(what == "nothing" ? [] : fixture.Urls, result.Refusals.Select(refusal => refusal.Server));
        Assert.All(result.Refusals,
            refusal => Assert.Equal(["audit.bin", "checkpoint.txt", "from-record.bin", "period-record.bin", "trust.json"],
                refusal.Files.Keys.Order(StringComparer.Ordinal)));
        Assert.Equal(reason, (await session.AuditAsync(null, Cancellation)).Reason);
    }

    [Fact]
    public async Task A_server_that_changes_a_proof_stops_nobody_while_another_one_is_honest()
    {
        await using Fixture fixture = await Fixture.StartAsync(replicas: 2);
        fixture.Publish(("alice", "1"));
        fixture.Replica(0).Mutate = (path, answer) =>
        {
            if (path.EndsWith("audit-proof", StringComparison.Ordinal))
            {
                answer[^1] ^= 1;
            }
            return answer;
        };
        using AuditorSession session = await OpenAsync(fixture);

        AuditResult result = await session.AuditAsync(null, Cancellation);

        Assert.Equal((Reason.Valid, 1UL), (result.Reason, result.Epoch));
        AuditRefusal refusal = Assert.Single(result.Refusals);
        Assert.Equal((fixture.Urls[0], (0UL, 1UL)), (refusal.Server, refusal.Range!.Value));
        // From now on the auditor asks the honest replica first.
        fixture.Publish(("alice", "2"));
        Assert.Empty((await session.AuditAsync(null, Cancellation)).Refusals);
        // If only the false replica answers, the auditor refuses its proof. Once that replica is honest, the auditor continues with the
        // same state.
        fixture.Replica(1).Refuse = _ => (503, "unavailable");
        fixture.Publish(("alice", "3"));
        AuditResult alone = await session.AuditAsync(null, Cancellation);
        Assert.Equal((false, false, 2UL), (alone.IsValid, alone.IsProven, alone.Epoch));
        fixture.Replica(0).Mutate = (_, answer) => answer;
        Assert.Equal((Reason.Valid, 3UL),
            ((await session.AuditAsync(null, Cancellation)).Reason, EpochRecord.ReadEpoch(session.State!.Head.Record)));
    }

    [Theory]
    [InlineData(0, 60_000, true)]
    [InlineData(0, 80_000, false)]
    [InlineData(3, 100_000, true)]
    [InlineData(3, 200_000, false)]
    public async Task A_proof_is_not_read_beyond_what_its_leaves_can_have(int added, int more, bool isRead)
    {
        await using Fixture fixture = await StartAsync(1);
        fixture.Publish([.. Enumerable.Range(0, added).Select(i => ($"new-{i}", "v"))]);
        using AuditorSession session = await OpenAsync(fixture);
        fixture.Server.Refuse = path => path == "/v1/epochs/0-2/audit-proof" ? (422, "range-too-large") : null;
        fixture.Server.Mutate = (path, answer) => path == "/v1/epochs/2/audit-proof" ? [.. answer, .. new byte[more]] : answer;
        if (isRead)
        {
            Assert.Equal(Reason.MalformedTrailing, (await session.AuditAsync(null, Cancellation)).Reason);
            return;
        }
        OptiksServerException e = await Assert.ThrowsAsync<OptiksServerException>(() => session.AuditAsync(null, Cancellation));
        Assert.Contains("answered with more than", e.Message, StringComparison.Ordinal);
        Assert.Equal(1UL, EpochRecord.ReadEpoch(session.State!.Head.Record));
    }

    [Theory]
    [InlineData("smaller", Reason.Valid)]
    [InlineData("same", Reason.Valid)]
    [InlineData("larger", Reason.Stale)]
    [InlineData("same size, other root", Reason.Fork)]
    [InlineData("smaller, other root", Reason.Fork)]
    [InlineData("not signed", Reason.CheckpointSignature)]
    [InlineData("no board", Reason.InclusionProof)]
    public async Task A_checkpoint_that_was_kept_elsewhere_is_compared(string what, Reason reason)
    {
        await using Fixture fixture = await StartAsync(5);
        using FixtureLog other = fixture.Log.Fork(3);
        other.PublishMany(3, i => [("mallory", $"{i}")]);
        using AuditorSession session = await OpenAsync(fixture);
        Assert.True((await session.AuditAsync(null, Cancellation)).IsValid);
        fixture.Publish(("late", "1"));
        byte[] note = what switch
        {
            "smaller" or "no board" => FixtureLog.Checkpoint(fixture.Log.Board(4)),
            "same" => FixtureLog.Checkpoint(fixture.Log.Board(6)),
            "larger" => FixtureLog.Checkpoint(fixture.Log.Board(7)),
            "same size, other root" => FixtureLog.Checkpoint(other.Board(6)),
            "smaller, other root" => FixtureLog.Checkpoint(other.Board(5)),
            _ => FixtureLog.Checkpoint(fixture.Log.Board(5)),
        };
        if (what == "not signed")
        {
            note[^30] = note[^30] == 'A' ? (byte)'B' : (byte)'A';
        }
        if (what == "no board")
        {
            fixture.Server.Tile = _ => [1];
        }

        AuditResult result = await session.ExtendsAsync(note, Cancellation);

        Assert.Equal(reason, result.Reason);
        Assert.Equal(reason == Reason.Fork, result.IsProven);
        if (reason == Reason.Fork)
        {
            EvidenceCheck.Proves(result.EvidencePath!);
            Assert.Equal(Reason.Fork, (await session.AuditAsync(null, Cancellation)).Reason);
        }
        else
        {
            fixture.Server.Tile = null;
            Assert.Equal((Reason.Valid, 6UL),
                ((await session.AuditAsync(null, Cancellation)).Reason, EpochRecord.ReadEpoch(session.State!.Head.Record)));
        }
    }

    private static EpochRecord Changed(EpochRecord honest, string what) => what switch
    {
        "a VRF key for one epoch" =>
            honest with
            {
                Structures =
                [.. honest.Structures.Select((state, i) => i == 2 ? state with { VrfPublicKey = new byte[32] } : state)]
            },
        "an epoch is skipped" => honest with { Epoch = honest.Epoch + 1 },
        "an epoch twice" => honest with { Epoch = honest.Epoch - 1 },
        "time steps back" => honest with { TimeMs = honest.TimeMs - FixtureLog.StepMs },
        "another record before" => honest with { Previous = new byte[32] },
        "leaves are gone" =>
            honest with
            {
                Structures =
                [.. honest.Structures.Select((state, i) => i == 2 ? state with { Count = state.Count - 1 } : state)]
            },
        "a switch that is early" => honest with { Period = 1, PeriodFirstEpoch = honest.Epoch },
        "another log" => honest with { LogId = new byte[32] },
        _ => honest,
    };

    private static async Task<Fixture> StartAsync(int epochs)
    {
        Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(epochs, i => [("alice", $"{i}"), ($"key-{i}", "v")]);
        fixture.Clock.UtcNow = fixture.Log.Now;
        return fixture;
    }

    private static Task<AuditorSession> OpenAsync(Fixture fixture) => AuditorSession.OpenAsync(
        new AuditorOptions
        {
            TrustAnchor = FixtureLog.Anchor,
            QueryUrls = fixture.Urls,
            StateFolder = fixture.Folder.In("auditor"),
            LockWait = TimeSpan.Zero,
        },
        fixture.Http,
        fixture.Clock,
        Cancellation);
}
