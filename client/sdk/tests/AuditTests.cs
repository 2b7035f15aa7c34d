using System.Buffers.Binary;
using System.Globalization;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

public sealed class AuditTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task All_epochs_are_verified_and_progress_is_reported()
    {
        await using Fixture fixture = await StartAsync(300);
        using AuditorSession session = await OpenAsync(fixture);
        var progress = new Steps();

        AuditResult result = await session.AuditAsync(progress, Cancellation);

        Assert.Equal((Verdict.Valid, 0UL, 300UL, 300UL), (result.Verdict, result.FirstEpoch, result.Epoch, result.VerifiedEpochs));
        Assert.Equal([0UL, 256UL, 300UL], progress.Seen.Select(step => step.Epoch));
        Assert.All(progress.Seen, step => Assert.Equal(300UL, step.Target));
        Assert.False(result.IsSilent);
    }

    /// <summary>
    /// The auditor verifies only the log's signature line of a checkpoint, so a stranger's signature line must not reach the state
    /// (docs/spec/board.md section 2).
    /// </summary>
    [Fact]
    public async Task A_strangers_line_on_a_checkpoint_is_not_kept()
    {
        await using Fixture fixture = await StartAsync(3);
        using var cosigners = new TestCosigners();
        fixture.Server.Mutate = (path, answer) =>
            path == "/log/checkpoint" ? cosigners.Sign(answer, fixture.Clock.UtcNow, "stranger") : answer;
        using (AuditorSession session = await OpenAsync(fixture))
        {
            Assert.Equal(Verdict.Valid, (await session.AuditAsync(null, Cancellation)).Verdict);
        }

        using StateFolder folder =
            await StateFolder.OpenAsync(fixture.Folder.In("auditor"), TimeSpan.Zero, TimeProvider.System, Cancellation);
        Assert.Equal(FixtureLog.Checkpoint(fixture.Log.Board(4)), folder.Load(StateJson.Default.AuditState)!.Head.Checkpoint);
    }

    [Theory]
    [InlineData(20)]
    [InlineData(1)]
    public async Task A_range_that_is_too_large_for_the_server_is_taken_in_parts(int served)
    {
        await using Fixture fixture = await StartAsync(70);
        fixture.Server.Refuse = path => Range(path) > served ? (422, "range-too-large") : null;
        using AuditorSession session = await OpenAsync(fixture);

        AuditResult result = await session.AuditAsync(null, Cancellation);

        Assert.Equal((Verdict.Valid, 70UL, 70UL), (result.Verdict, result.Epoch, result.VerifiedEpochs));
        // As a control, check that the auditor first asked for more epochs than the server accepted.
        Assert.Contains("GET /v1/epochs/0-70/audit-proof", fixture.Server.Requests);

        static int Range(string path)
        {
            string[] epochs = path.EndsWith("/audit-proof", StringComparison.Ordinal) ? path.Split('/')[3].Split('-') : [];
            return epochs.Length == 2
                ? int.Parse(epochs[1], CultureInfo.InvariantCulture) - int.Parse(epochs[0], CultureInfo.InvariantCulture)
                : 1;
        }
    }

    [Fact]
    public async Task A_single_epoch_that_the_server_refuses_ends_the_audit()
    {
        await using Fixture fixture = await StartAsync(3);
        fixture.Server.Refuse = path => path.EndsWith("/audit-proof", StringComparison.Ordinal) ? (422, "range-too-large") : null;
        using AuditorSession session = await OpenAsync(fixture);

        OptiksServerException e = await Assert.ThrowsAsync<OptiksServerException>(() => session.AuditAsync(null, Cancellation));

        Assert.Equal("range-too-large", e.Problem);
    }

    [Fact]
    public async Task An_audit_resumes_from_what_it_stored()
    {
        await using Fixture fixture = await StartAsync(20);
        using (AuditorSession session = await OpenAsync(fixture, range: 8))
        {
            // The process dies when it reports its progress after the first proof. At that time, the state is already on disk.
            await Assert.ThrowsAsync<InvalidOperationException>(() => session.AuditAsync(new Dying(8), Cancellation));
        }
        fixture.Publish(("late", "x"));
        using AuditorSession resumed = await OpenAsync(fixture, range: 8);
        Assert.Equal(8UL, EpochRecord.Decode(resumed.State!.Head.Record).Epoch);

        AuditResult result = await resumed.AuditAsync(null, Cancellation);

        Assert.Equal((Verdict.Valid, 21UL, 13UL), (result.Verdict, result.Epoch, result.VerifiedEpochs));
        Assert.DoesNotContain("GET /v1/epochs/8/audit-proof", fixture.Server.Requests);
        AuditResult nothing = await resumed.AuditAsync(null, Cancellation);
        Assert.Equal((Verdict.Valid, 0UL), (nothing.Verdict, nothing.VerifiedEpochs));
    }

    [Fact]
    public async Task A_later_start_takes_one_record_on_trust_and_says_so()
    {
        await using Fixture fixture = await StartAsync(6);
        using AuditorSession session = await OpenAsync(fixture, first: 4);
        AuditResult result = await session.AuditAsync(null, Cancellation);
        Assert.Equal((Verdict.Valid, 4UL, 6UL, 2UL), (result.Verdict, result.FirstEpoch, result.Epoch, result.VerifiedEpochs));
        using AuditorSession beyond = await OpenAsync(fixture, first: 40, name: "beyond");
        FirstEpochException e = await Assert.ThrowsAsync<FirstEpochException>(() => beyond.AuditAsync(null, Cancellation));
        Assert.Equal(6UL, e.Latest);
        Assert.Contains("0 to 6", e.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("proof", Reason.AppendNewRoot, Reason.AppendOldRoot, Reason.AppendLeafOrder)]
    [InlineData("record", Reason.RecordPrevious, Reason.RecordVrfKey, Reason.AppendNewRoot)]
    [InlineData("other range", Reason.AuditStart, Reason.AuditStart, Reason.AuditStart)]
    [InlineData("entries", Reason.InclusionProof, Reason.InclusionProof, Reason.InclusionProof)]
    [InlineData("tile", Reason.InclusionProof, Reason.InclusionProof, Reason.InclusionProof)]
    [InlineData("checkpoint", Reason.CheckpointSignature, Reason.CheckpointMalformed, Reason.CheckpointOrigin)]
    [InlineData("nothing", Reason.Valid, Reason.Valid, Reason.Valid)]
    public async Task Changed_files_are_refused_and_the_state_stays(string what, Reason one, Reason two, Reason three)
    {
        await using Fixture fixture = await StartAsync(5);
        using AuditorSession session = await OpenAsync(fixture);
        Assert.True((await session.AuditAsync(null, Cancellation)).IsValid);
        fixture.Publish(("alice", "new"), ("bob", "new"));
        byte[] otherRange = fixture.Log.AuditProof(4, 5);
        fixture.Server.Mutate = (path, answer) => (what, path) switch
        {
            ("proof", "/v1/epochs/6/audit-proof") => Flip(answer, 3 + (2 * EpochRecord.Length) + 16 + 40),
            ("record", "/v1/epochs/6/audit-proof") => Flip(answer, 3 + EpochRecord.Length + 380),
            ("other range", "/v1/epochs/6/audit-proof") => otherRange,
            ("entries", _) when path.StartsWith("/log/tile/entries/", StringComparison.Ordinal) => Flip(answer, answer.Length - 1),
            ("tile", _) when path.StartsWith("/log/tile/0/", StringComparison.Ordinal) => Flip(answer, answer.Length - 1),
            ("checkpoint", "/log/checkpoint") => Flip(answer, answer.Length - 30),
            _ => answer,
        };

        AuditResult result = await session.AuditAsync(null, Cancellation);

        Assert.Contains(result.Reason, (Reason[])[one, two, three]);
        Assert.Equal(what == "nothing" ? 6UL : 5UL, result.Epoch);
        fixture.Server.Mutate = (_, answer) => answer;
        Assert.Equal((Verdict.Valid, 6UL),
            ((await session.AuditAsync(null, Cancellation)).Verdict, EpochRecord.Decode(session.State!.Head.Record).Epoch));
    }

    [Fact]
    public async Task A_checkpoint_of_the_same_size_and_another_root_is_a_fork()
    {
        await using Fixture fixture = await StartAsync(3);
        using FixtureLog second = fixture.Log.Fork(3);
        second.Publish(("mallory", "x"));
        await AssertForkAsync(fixture, second);
    }

    [Fact]
    public async Task A_longer_log_that_leaves_out_the_verified_one_is_a_fork()
    {
        await using Fixture fixture = await StartAsync(3);
        using FixtureLog second = fixture.Log.Fork(3);
        second.Publish(("mallory", "x"));
        second.Publish();
        await AssertForkAsync(fixture, second);
    }

    [Fact]
    public async Task A_board_that_steps_back_is_stale_and_a_silent_one_is_reported()
    {
        await using Fixture fixture = await StartAsync(3);
        using AuditorSession session = await OpenAsync(fixture);
        Assert.True((await session.AuditAsync(null, Cancellation)).IsValid);
        fixture.Server.Lag = 1;
        Assert.Equal(Reason.Stale, (await session.AuditAsync(null, Cancellation)).Reason);
        fixture.Server.Lag = null;
        fixture.Clock.UtcNow = fixture.Log.Now.AddDays(1);
        AuditResult late = await session.AuditAsync(null, Cancellation);
        Assert.True(late.IsValid);
        Assert.True(late.IsSilent);
    }

    [Fact]
    public async Task A_first_record_from_the_future_is_refused_and_nothing_is_stored()
    {
        await using Fixture fixture = await StartAsync(2);
        fixture.Clock.UtcNow = fixture.Log.Now.AddMilliseconds(-(double)FixtureLog.Configuration.MaxAheadMs - (3 * FixtureLog.StepMs) - 1);
        using AuditorSession session = await OpenAsync(fixture);
        Assert.Equal(Reason.RecordFromFuture, (await session.AuditAsync(null, Cancellation)).Reason);
        Assert.Null(session.State);
        fixture.Clock.UtcNow = fixture.Log.Now;
        Assert.Equal((Verdict.Valid, 2UL),
            ((await session.AuditAsync(null, Cancellation)).Verdict,
                session.State is null ? 0 : EpochRecord.Decode(session.State.Head.Record).Epoch));
    }

    [Theory]
    [InlineData(1UL << 63)]
    [InlineData(ulong.MaxValue - 5000)]
    public async Task A_genesis_at_the_end_of_time_is_a_verdict(ulong time)
    {
        await using Fixture fixture = await StartAsync(1);
        using var late = new FixtureLog(time);
        fixture.Server.Log = late;
        using AuditorSession session = await OpenAsync(fixture);
        AuditResult result = await session.AuditAsync(null, Cancellation);
        Assert.Equal((Verdict.Invalid, Reason.RecordFromFuture), (result.Verdict, result.Reason));
    }

    [Fact]
    public async Task A_state_with_a_time_that_is_no_date_is_reported_and_not_thrown()
    {
        // Store the state of an auditor of an earlier version, which did not compare the first record's time with its clock.
        await using Fixture fixture = await StartAsync(0);
        using var late = new FixtureLog(1UL << 63);
        fixture.Server.Log = late;
        byte[] note = FixtureLog.Checkpoint(late.Board(1));
        using (StateFolder folder = await StateFolder.OpenAsync(fixture.Folder.In("auditor"), TimeSpan.Zero, fixture.Clock, Cancellation))
        {
            var head = new HeadState { Size = 1, Root = late.Board(1).Root.ToArray(), Checkpoint = note, Record = late.Record(0) };
            folder.Save(new AuditState { LogId = Base64UrlText.Encode(FixtureLog.Anchor.LogId.Span), FirstEpoch = 0, Head = head },
                StateJson.Default.AuditState, fault: null);
        }
        using AuditorSession session = await OpenAsync(fixture);
        AuditResult result = await session.AuditAsync(null, Cancellation);
        Assert.Equal((Reason.Valid, DateTimeOffset.MaxValue, false), (result.Reason, result.Head!.Time, result.IsSilent));
    }

    [Fact]
    public async Task Another_replica_goes_on_where_one_is_away_or_behind()
    {
        await using Fixture fixture = await Fixture.StartAsync(replicas: 3);
        fixture.Log.PublishMany(12, i => [("alice", $"{i}")]);
        fixture.Clock.UtcNow = fixture.Log.Now;
        using AuditorSession session = await OpenAsync(fixture, range: 5);
        // Replica 0 gives the first proof and then becomes unavailable. Replica 1 is behind.
        fixture.Replica(0).Refuse = path => path.Contains("5-10", StringComparison.Ordinal) ? (503, "unavailable") : null;
        fixture.Replica(1).Lag = 3;

        AuditResult result = await session.AuditAsync(null, Cancellation);

        Assert.Equal((Verdict.Valid, 12UL, 12UL), (result.Verdict, result.Epoch, result.VerifiedEpochs));
        Assert.Contains("GET /v1/epochs/0-5/audit-proof", fixture.Replica(0).Requests);
        Assert.Equal(["GET /log/checkpoint"],
            fixture.Replica(1).Requests.Where(request => request.EndsWith("checkpoint", StringComparison.Ordinal)));
        Assert.Contains("GET /v1/epochs/5-10/audit-proof", fixture.Replica(2).Requests);
        foreach (int replica in (int[])[0, 1, 2])
        {
            fixture.Replica(replica).Refuse = _ => (503, "unavailable");
        }
        await Assert.ThrowsAsync<OptiksServerException>(() => session.AuditAsync(null, Cancellation));
    }

    [Fact]
    public async Task A_switch_of_the_period_is_a_step_of_its_own_and_is_named()
    {
        await using Fixture fixture = await StartAsync(6);
        fixture.Log.PublishRecord(honest => Switched(honest));
        for (int i = 0; i < 4; i++)
        {
            fixture.Log.PublishRecord(honest => honest);
        }
        SetClock(fixture);
        using (AuditorSession session = await OpenAsync(fixture))
        {
            AuditResult result = await session.AuditAsync(null, Cancellation);

            Assert.Equal((Verdict.Valid, 11UL, 11UL), (result.Verdict, result.Epoch, result.VerifiedEpochs));
            Assert.Equal([7UL], result.Switches);
            string[] asked = [.. fixture.Server.Requests.Where(request => request.EndsWith("audit-proof", StringComparison.Ordinal))];
            Assert.Equal(["GET /v1/epochs/0-6/audit-proof", "GET /v1/epochs/7/audit-proof", "GET /v1/epochs/7-11/audit-proof"], asked);
        }
        // The auditor remembers the switch, and refuses a second switch that comes too early after the first.
        fixture.Log.PublishRecord(honest => Switched(honest, early: true));
        SetClock(fixture);
        using AuditorSession resumed = await OpenAsync(fixture);
        AuditResult early = await resumed.AuditAsync(null, Cancellation);
        Assert.Equal((Verdict.Invalid, Reason.RecordPeriod, 11UL), (early.Verdict, early.Reason, early.Epoch));
        Assert.Equal([7UL], early.Switches);
        Assert.Equal((11UL, 12UL), early.FailedRange);
        using AuditorSession within = await OpenAsync(fixture, first: 8, name: "within");
        Assert.Equal((Reason.RecordPeriod, 11UL),
            ((await within.AuditAsync(null, Cancellation)).Reason,
                within.State is null ? 0 : EpochRecord.ReadEpoch(within.State.Head.Record)));
        Assert.Empty(within.State!.Switches);
    }

    [Theory]
    [InlineData("too early", Reason.RecordPeriod)]
    [InlineData("two periods", Reason.RecordPeriod)]
    [InlineData("first epoch", Reason.RecordPeriod)]
    [InlineData("the old VRF keys", Reason.RecordVrfKey)]
    [InlineData("a new VRF key of usernames", Reason.RecordVrfKey)]
    public async Task A_switch_that_breaks_a_rule_is_refused(string what, Reason reason)
    {
        await using Fixture fixture = await StartAsync(3);
        fixture.Log.PublishRecord(honest => what switch
        {
            "too early" => Switched(honest, early: true),
            "two periods" => Switched(honest) with { Period = 2 },
            "first epoch" => Switched(honest) with { PeriodFirstEpoch = honest.Epoch - 1 },
            "the old VRF keys" => Switched(honest) with { Structures = honest.Structures },
            _ =>
                Switched(honest) with
                {
                    Structures =
                    [.. Switched(honest).Structures.Select((state, i) => i is 0 ? state with { VrfPublicKey = new byte[32] } : state)]
                },
        });
        SetClock(fixture);
        using AuditorSession session = await OpenAsync(fixture);

        AuditResult result = await session.AuditAsync(null, Cancellation);

        Assert.Equal((Verdict.Invalid, reason), (result.Verdict, result.Reason));
        Assert.Equal(4UL, result.FailedRange!.Value.To);
        Assert.Empty(result.Switches);
    }

    [Fact]
    public async Task The_record_of_the_period_s_first_epoch_is_read_from_the_board_and_proven()
    {
        await using Fixture fixture = await StartAsync(300);
        using AuditorSession session = await OpenAsync(fixture, first: 290);
        fixture.Server.Mutate = (path, answer) => path == "/log/tile/entries/000" ? Flip(answer, 2 + 60) : answer;
        Assert.Equal(Reason.InclusionProof, (await session.AuditAsync(null, Cancellation)).Reason);
        fixture.Server.Mutate = (_, answer) => answer;
        Assert.True((await session.AuditAsync(null, Cancellation)).IsValid);
        fixture.Server.Requests.Clear();
        fixture.Publish(("late", "x"));
        Assert.True((await session.AuditAsync(null, Cancellation)).IsValid);
        // The auditor requests the entry of the period's first epoch only once, because every later checkpoint extends the checkpoint by
        // which the entry was proven.
        Assert.DoesNotContain("GET /log/tile/entries/000", fixture.Server.Requests);
    }

    // Returns a record that claims a switch of the period. Its new VRF keys belong to no directory, so no proofs with these keys exist.
    private static EpochRecord Switched(EpochRecord honest, bool early = false) => honest with
    {
        Period = honest.Period + 1,
        PeriodFirstEpoch = honest.Epoch,
        TimeMs = honest.TimeMs + (early ? 0 : FixtureLog.Configuration.PeriodLengthMs),
        Structures = [.. honest.Structures.Select((state, i) => i is 1 or 2 ? state with { VrfPublicKey = Fresh(honest.Epoch) } : state)],
    };

    private static byte[] Fresh(ulong epoch)
    {
        byte[] key = new byte[32];
        BinaryPrimitives.WriteUInt64BigEndian(key, epoch);
        return key;
    }

    private static void SetClock(Fixture fixture) =>
        fixture.Clock.UtcNow = DateTimeOffset.FromUnixTimeMilliseconds(
            (long)EpochRecord.Decode(fixture.Log.Record(fixture.Log.Latest)).TimeMs);

    private static async Task AssertForkAsync(Fixture fixture, FixtureLog second)
    {
        string evidence;
        using (AuditorSession session = await OpenAsync(fixture))
        {
            Assert.True((await session.AuditAsync(null, Cancellation)).IsValid);
            fixture.Server.Log = second;
            AuditResult fork = await session.AuditAsync(null, Cancellation);
            Assert.Equal(Verdict.Fork, fork.Verdict);
            evidence = Assert.IsType<string>(fork.EvidencePath);
            Assert.Equal(FixtureLog.Checkpoint(second.Board(second.Latest + 1)),
                File.ReadAllBytes(Path.Combine(evidence, "received-checkpoint.txt")));
            Assert.Equal(FixtureLog.Checkpoint(fixture.Log.Board(4)), File.ReadAllBytes(Path.Combine(evidence, "kept-checkpoint.txt")));
            EvidenceCheck.Proves(evidence);
        }
        fixture.Server.Log = fixture.Log;
        using AuditorSession reopened = await OpenAsync(fixture);
        Assert.Equal(evidence, (await reopened.AuditAsync(null, Cancellation)).EvidencePath);
    }

    private static async Task<Fixture> StartAsync(int epochs)
    {
        Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(epochs, i => i % 3 == 2 ? [] : [("alice", $"{i}"), ($"key-{i}", "v")]);
        fixture.Clock.UtcNow = fixture.Log.Now;
        return fixture;
    }

    private static Task<AuditorSession> OpenAsync(Fixture fixture, ulong first = 0, int range = 256, string name = "auditor") =>
        AuditorSession.OpenAsync(
        new AuditorOptions
        {
            TrustAnchor = FixtureLog.Anchor,
            QueryUrls = fixture.Urls,
            StateFolder = fixture.Folder.In(name),
            FirstEpoch = first,
            MaxRange = range,
            LockWait = TimeSpan.Zero,
        },
        fixture.Http,
        fixture.Clock,
        Cancellation);

    private static byte[] Flip(byte[] octets, int position)
    {
        octets[position] ^= 1;
        return octets;
    }

    private sealed class Steps : IProgress<AuditProgress>
    {
        public List<AuditProgress> Seen { get; } = [];

        public void Report(AuditProgress value) => Seen.Add(value);
    }

    private sealed class Dying(ulong at) : IProgress<AuditProgress>
    {
        public void Report(AuditProgress value)
        {
            if (value.Epoch == at)
            {
                throw new InvalidOperationException("killed");
            }
        }
    }
}
