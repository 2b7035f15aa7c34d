using System.Collections.Immutable;
using System.Text;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client.Tests;

/// <summary>Tests how a client treats the auditors and witnesses of its policy (docs/spec/cosigners.md).</summary>
public sealed class CosignerTests : IDisposable
{
    private static readonly byte[] Alice = "alice"u8.ToArray();
    private static readonly TimeSpan s_lag = TimeSpan.FromMinutes(10);

    private readonly TestCosigners _cosigners = new();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => _cosigners.Dispose();

    [Theory]
    [InlineData(1, 0, false)]
    [InlineData(1, 1, true)]
    [InlineData(2, 1, false)]
    [InlineData(2, 2, true)]
    [InlineData(3, 2, false)]
    [InlineData(3, 3, true)]
    public async Task An_answer_is_audited_once_k_of_n_auditors_cover_its_epoch(int required, int covering, bool audited)
    {
        await using Fixture fixture = await StartAsync();
        string[] names = ["a", "b", "c"];
        // Some auditors cover the newest epoch; the other auditors are one epoch behind.
        fixture.Server.Cosignatures = () =>
            TestCosigners.Answer(
                names.Select((name, i) =>
                    _cosigners.Sign(fixture.Log, fixture.Log.Latest + (i < covering ? 1UL : 0), fixture.Clock.UtcNow, name)));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();

        LookupResult result = await Client(fixture, store, _cosigners.Anchor(required, s_lag, [.. names.Select(name => (name, 0UL))]))
            .LookupAsync(Alice, Cancellation);

        Assert.Equal((Verdict.Present, audited), (result.Verdict, result.Head!.IsAudited));
        Assert.Equal(audited ? 0 : 1, store.Current.Unaudited.Length);
        Assert.Empty(result.Head.Overdue);
    }

    [Theory]
    [InlineData("the log's line twice", false)]
    [InlineData("a line of a stranger", true)]
    public async Task What_is_kept_of_a_cosigner_is_read_again_at_the_next_start(string what, bool isKept)
    {
        await using Fixture fixture = await StartAsync();
        DateTimeOffset now = fixture.Clock.UtcNow;
        MemoryBoard board = fixture.Log.Board(fixture.Log.Latest + 1);
        byte[] larger = FixtureLog.Checkpoint(board);
        Assert.True(SignedNote.TryParse(larger, out SignedNote? parsed, out _));
        byte[] note = what switch
        {
            "the log's line twice" => _cosigners.Sign(FixtureLog.Sign(parsed.Text.ToArray(), lines: 2), now, "a"),
            _ => _cosigners.Sign(larger, now, "stranger", "a"),
        };
        // The server answers about an earlier epoch, although its board has the files of the larger tree.
        fixture.Server.Lag = fixture.Log.Latest - 1;
        fixture.Server.Tile = tile => board.Tile(tile)!;
        fixture.Server.Cosignatures = () => TestCosigners.Answer(note);
        TrustAnchor anchor = _cosigners.Anchor(1, s_lag, ("a", 0));
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            LookupResult result = await Client(fixture, store, anchor).LookupAsync(Alice, Cancellation);
            Assert.Equal((true, isKept), (result.IsValid, result.Head!.IsAudited));
        }

        using JournalClientStateStore reopened = await fixture.OpenStoreAsync();

        Assert.Equal(isKept ? 1 : 0, reopened.Current.Cosigners.Count);
        // The kept head has only the log's signature line. The note that the state keeps for a cosigner has only the signature lines of the
        // log and of that cosigner.
        Assert.Equal(isKept ? larger : FixtureLog.Checkpoint(fixture.Log.Board(fixture.Log.Latest)), reopened.Current.Head!.Checkpoint);
        Assert.All(reopened.Current.Cosigners.Values, kept => Assert.Equal(_cosigners.Sign(larger, now, "a"), kept.Checkpoint));
    }

    /// <summary>
    /// The client verifies only the log's signature line of a checkpoint, so a stranger's signature line must not reach the state
    /// (docs/spec/board.md section 2).
    /// </summary>
    [Fact]
    public async Task A_strangers_line_on_an_answers_checkpoint_is_not_kept()
    {
        await using Fixture fixture = await StartAsync();
        byte[] honest = FixtureLog.Checkpoint(fixture.Log.Board(fixture.Log.Latest + 1));
        byte[] signed = _cosigners.Sign(honest, fixture.Clock.UtcNow, "stranger");
        fixture.Server.Mutate = (_, answer) =>
        {
            ReadOnlyMemory<byte> head = AnswerHead.SliceHead(answer);
            return [.. (AnswerHead.Decode(head) with { Checkpoint = signed }).Encode(), .. answer[head.Length..]];
        };
        using JournalClientStateStore store = await fixture.OpenStoreAsync();

        Assert.True((await fixture.Client(store).LookupAsync(Alice, Cancellation)).IsValid);

        Assert.Equal(honest, store.Current.Head!.Checkpoint);
    }

    [Theory]
    [InlineData("a", 4, true)]
    [InlineData("a", 5, false)]
    [InlineData("b", 5, false)]
    public async Task A_note_is_compared_with_what_is_kept_of_cosigners_although_it_is_not_larger(string cosigner, int size, bool hasTiles)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using FixtureLog second = fixture.Log.Fork(2);
        fixture.Log.PublishMany(3, i => [("alice", $"{i}")]);
        second.PublishMany(3, i => [("alice", $"false {i}")]);
        fixture.Clock.UtcNow = fixture.Log.Now;
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        TrustAnchor anchor = _cosigners.Anchor(1, s_lag, ("a", 0), ("b", 0));
        fixture.Server.Cosignatures = () => TestCosigners.Answer(_cosigners.Sign(fixture.Log, 5, fixture.Clock.UtcNow, "a"));
        Assert.True((await Client(fixture, store, anchor).LookupAsync(Alice, Cancellation)).Head!.IsAudited);
        Assert.Equal(5UL, Assert.Single(store.Current.Cosigners.Values).Size);

        // This epoch makes the head's checkpoint larger than the kept note of auditor a, which still has size 5.
        fixture.Publish(("bob", "b"));
        fixture.Server.Cosignatures = () => TestCosigners.Answer(_cosigners.Sign(second, (ulong)size, fixture.Clock.UtcNow, cosigner));
        fixture.Server.Tile = hasTiles ? null : _ => [];
        LookupResult fork = await Client(fixture, store, anchor).LookupAsync(Alice, Cancellation);

        Assert.Equal((Verdict.Fork, Reason.Fork), (fork.Verdict, fork.Reason));
        EvidenceCheck.Proves(fork.EvidencePath!);
    }

    public static TheoryData<string> Lies =>
    [
        "nothing", "no resource", "no JSON", "another JSON", "too long", "too many", "one auditor twice", "two lines of one auditor", "a stranger",
        "a witness", "an unsigned checkpoint", "another log's checkpoint", "a false cosignature",
        "a false line beside a good one", "from the future", "an old one", "false tiles", "a later first epoch",
    ];

    [Theory]
    [MemberData(nameof(Lies))]
    public async Task A_lie_makes_nothing_audited_and_holds_nobody_up(string lie)
    {
        await using Fixture fixture = await StartAsync();
        using var other = new FixtureLog();
        other.PublishMany(3, i => [("mallory", $"{i}")]);
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        DateTimeOffset now = fixture.Clock.UtcNow;
        ulong size = fixture.Log.Latest + 1;
        byte[] Sign(params string[] names) => _cosigners.Sign(fixture.Log, size, now, names);
        byte[] good = Sign("a");
        byte[] unsigned = TestCosigners.ReplaceSignature(FixtureLog.Checkpoint(fixture.Log.Board(size)), line: 1);
        byte[] others = Encoding.UTF8.GetBytes(
            Encoding.UTF8.GetString(FixtureLog.Checkpoint(other.Board(size)))
                .Replace("test.example", "other.example", StringComparison.Ordinal));
        fixture.Server.Cosignatures = lie switch
        {
            "no resource" => null,
            "no JSON" => () => "checkpoints"u8.ToArray(),
            "another JSON" => () => Encoding.UTF8.GetBytes("""{"checkpoints": [1]}"""),
            "too long" => () => [.. TestCosigners.Answer(good, Sign("b")), .. Enumerable.Repeat((byte)' ', 300_000)],
            "too many" => () => TestCosigners.Answer([good, Sign("b"), .. Enumerable.Repeat(Sign("stranger"), 63)]),
            "one auditor twice" => () => TestCosigners.Answer(good, good),
            "two lines of one auditor" => () => TestCosigners.Answer(_cosigners.Sign(good, now.AddSeconds(1), "a")),
            "a stranger" => () => TestCosigners.Answer(good, Sign("stranger")),
            "a witness" => () => TestCosigners.Answer(good, Sign("witness")),
            "an unsigned checkpoint" => () => TestCosigners.Answer(good, _cosigners.Sign(unsigned, now, "b")),
            "another log's checkpoint" => () => TestCosigners.Answer(good, _cosigners.Sign(others, now, "b")),
            "a false cosignature" => () => TestCosigners.Answer(good, TestCosigners.ReplaceSignature(Sign("b"), line: 2)),
            "a false line beside a good one" => () => TestCosigners.Answer(good, TestCosigners.ReplaceSignature(Sign("a", "b"), line: 2)),
            "from the future" => () => TestCosigners.Answer(good, _cosigners.Sign(fixture.Log, size, now.AddHours(1), "b")),
            "an old one" => () => TestCosigners.Answer(good, _cosigners.Sign(fixture.Log, size - 1, now, "b")),
            "false tiles" => () => TestCosigners.Answer(_cosigners.Sign(fixture.Log, size - 1, now, "a", "b")),
            _ => () => TestCosigners.Answer(good),
        };
        fixture.Server.Tile = lie == "false tiles" ? tile => new byte[tile.Width * 32] : null;
        TrustAnchor anchor = _cosigners.Anchor(2, s_lag, ("a", 0), ("b", lie == "a later first epoch" ? size : 0));

        LookupResult result = await Client(fixture, store, anchor).LookupAsync(Alice, Cancellation);

        Assert.Equal((Verdict.Present, false), (result.Verdict, result.Head!.IsAudited));
        Assert.Null(store.Current.Fork);
        Assert.Single(store.Current.Unaudited);
        // As a control, honest cosignatures of the same log make the answer audited.
        fixture.Server.Tile = null;
        fixture.Server.Cosignatures = () => TestCosigners.Answer(good, Sign("b"));
        Assert.Equal(lie != "a later first epoch", (await Client(fixture, store, anchor).LookupAsync(Alice, Cancellation)).Head!.IsAudited);
    }

    [Theory]
    [InlineData(4, 4)]
    [InlineData(4, 3)]
    [InlineData(6, 4)]
    [InlineData(4, 7)]
    public async Task N66_a_second_history_that_an_auditor_cosigned_is_a_fork_with_evidence(int shown, int cosigned)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using FixtureLog second = fixture.Log.Fork(2);
        fixture.Log.PublishMany(shown - 2, i => [("alice", $"{i}")]);
        second.PublishMany(cosigned - 2, i => [("alice", $"false {i}")]);
        fixture.Clock.UtcNow = fixture.Log.Now;
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        fixture.Server.Cosignatures = () => TestCosigners.Answer(_cosigners.Sign(second, (ulong)cosigned, fixture.Clock.UtcNow, "a"));
        // The board has the files of the larger of the two trees. A log that shows two histories can give each client the files of the
        // history that the client sees.
        fixture.Server.Tile = tile => (cosigned > shown ? second : fixture.Log).Board((ulong)Math.Max(cosigned, shown)).Tile(tile)!;
        TrustAnchor anchor = _cosigners.Anchor(1, s_lag, ("a", 0));

        LookupResult fork = await Client(fixture, store, anchor).LookupAsync(Alice, Cancellation);

        Assert.Equal((Verdict.Fork, Reason.Fork), (fork.Verdict, fork.Reason));
        EvidenceCheck.Proves(fork.EvidencePath!);
        EvidenceVerdict judged = EvidenceJudge.Judge(fork.EvidencePath!, FixtureLog.Anchor);
        Assert.Equal((EvidenceKind.Fork, true), (judged.Kind, judged.IsProof));
        Assert.Empty(store.Current.Chains);
        fixture.Server.Cosignatures = null;
        Assert.Equal(Verdict.Fork, (await Client(fixture, store, anchor).LookupAsync(Alice, Cancellation)).Verdict);
    }

    [Fact]
    public async Task N67_an_answer_without_the_quorum_is_refused_and_what_was_known_stands()
    {
        await using Fixture fixture = await StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        TrustAnchor anchor = _cosigners.Witnessed(2, "w1", "w2", "w3");
        ulong size = fixture.Log.Latest + 1;
        fixture.Server.RecentEpochs = 0;
        fixture.Server.Cosignatures = () =>
            TestCosigners.Answer(_cosigners.Sign(fixture.Log, size, fixture.Clock.UtcNow, "w1"),
                _cosigners.Sign(fixture.Log, size - 1, fixture.Clock.UtcNow, "w2"));

        LookupResult refused = await Client(fixture, store, anchor).LookupAsync(Alice, Cancellation);

        Assert.Equal((Verdict.Invalid, Reason.WitnessQuorum), (refused.Verdict, refused.Reason));
        Assert.Null(refused.Value);
        Assert.Null(store.Current.Head);
        Assert.Empty(store.Current.Chains);
        fixture.Server.Cosignatures = () => TestCosigners.Answer(_cosigners.Sign(fixture.Log, size, fixture.Clock.UtcNow, "w1", "w3"));
        Assert.Equal(Verdict.Present, (await Client(fixture, store, anchor).LookupAsync(Alice, Cancellation)).Verdict);
        ClientState kept = store.Current;
        fixture.Publish(("alice", "new"));
        Assert.Equal(Reason.WitnessQuorum, (await Client(fixture, store, anchor).LookupAsync(Alice, Cancellation)).Reason);
        Assert.Same(kept, store.Current);
    }

    [Fact]
    public async Task A_lookup_takes_the_newest_epoch_that_witnesses_have_cosigned()
    {
        await using Fixture fixture = await StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        ulong witnessed = fixture.Log.Latest;
        fixture.Publish(("alice", "new"));
        fixture.Publish(("bob", "new"));
        fixture.Server.Cosignatures = () => TestCosigners.Answer(
            _cosigners.Sign(fixture.Log, witnessed + 1, fixture.Clock.UtcNow, "w1"),
            _cosigners.Sign(fixture.Log, witnessed + 2, fixture.Clock.UtcNow, "w2"),
            _cosigners.Sign(fixture.Log, 1, fixture.Clock.UtcNow, "w3"));
        TrustAnchor anchor = _cosigners.Witnessed(2, "w1", "w2", "w3");

        LookupResult result = await Client(fixture, store, anchor, TimeSpan.FromHours(1)).LookupAsync(Alice, Cancellation);

        Assert.Equal((Verdict.Present, witnessed, 1UL), (result.Verdict, result.Head!.Epoch, result.Version));
        Assert.Equal(witnessed + 3, store.Current.Head!.Size);
        // A client that has verified a key at a later epoch refuses the earlier, witnessed epoch for this key, but accepts it for other
        // keys.
        Assert.Equal(2UL, (await fixture.Client(store).LookupAsync(Alice, Cancellation)).Version);
        LookupResult later = await Client(fixture, store, anchor).LookupAsync(Alice, Cancellation);
        Assert.Equal((Verdict.Invalid, Reason.WitnessQuorum), (later.Verdict, later.Reason));
        Assert.Equal(Verdict.Absent, (await Client(fixture, store, anchor).LookupAsync("nobody"u8.ToArray(), Cancellation)).Verdict);
    }

    [Fact]
    public async Task Cosignatures_that_come_a_moment_later_are_waited_for()
    {
        await using Fixture fixture = await StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        int asked = 0;
        fixture.Server.Cosignatures = () => asked++ < 2
            ? TestCosigners.Answer()
            : TestCosigners.Answer(_cosigners.Sign(fixture.Log, fixture.Log.Latest + 1, fixture.Clock.UtcNow, "w1"));

        LookupResult result = await Client(fixture, store, _cosigners.Witnessed(1, "w1"), TimeSpan.FromMinutes(1))
            .LookupAsync(Alice, Cancellation);

        Assert.Equal(Verdict.Present, result.Verdict);
        Assert.True(asked >= 3);
    }

    [Fact]
    public async Task What_is_not_audited_in_time_is_an_alarm_until_it_is()
    {
        await using Fixture fixture = await StartAsync();
        TrustAnchor anchor = _cosigners.Anchor(1, s_lag, ("a", 0));
        ulong believed = fixture.Log.Latest;
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            Assert.Empty((await Client(fixture, store, anchor).LookupAsync(Alice, Cancellation)).Head!.Overdue);
        }
        // The log continues, but the auditor covers only the epochs before the epoch that the client believed.
        fixture.Log.PublishMany(700, _ => []);
        fixture.Clock.UtcNow = fixture.Log.Now;
        ulong covered = believed;
        fixture.Server.Cosignatures = () => TestCosigners.Answer(_cosigners.Sign(fixture.Log, covered, fixture.Clock.UtcNow, "a"));
        using JournalClientStateStore later = await fixture.OpenStoreAsync();
        OptiksClient client = Client(fixture, later, anchor);

        LookupResult late = await client.LookupAsync("bob"u8.ToArray(), Cancellation);

        Belief overdue = Assert.Single(late.Head!.Overdue);
        Assert.Equal((believed, Base64UrlText.Encode(Alice), 1UL), (overdue.Epoch, overdue.Key, overdue.Version));
        Assert.Equal(Base64UrlText.Encode(EpochRecord.Hash(fixture.Log.Record(believed))), overdue.RecordHash);
        Assert.Equal(ValueHash.Of("one"u8), overdue.ValueSha256);
        Assert.Equal([overdue], client.Overdue);
        covered = believed + 1;
        LookupResult covering = await Client(fixture, later, anchor).LookupAsync("bob"u8.ToArray(), Cancellation);
        Assert.Empty(covering.Head!.Overdue);
        Assert.False(covering.Head.IsAudited);
        // The answer of the later lookup is not audited, but not overdue yet either.
        Assert.NotEmpty(later.Current.Unaudited);
    }

    [Fact]
    public async Task Only_what_is_overdue_can_be_accepted()
    {
        await using Fixture fixture = await StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = Client(fixture, store, _cosigners.Anchor(1, s_lag, ("a", 0)));
        await client.LookupAsync(Alice, Cancellation);
        fixture.Log.PublishMany(700, _ => []);
        fixture.Clock.UtcNow = fixture.Log.Now;
        await client.LookupAsync("bob"u8.ToArray(), Cancellation);
        Assert.Equal((2, 1), (store.Current.Unaudited.Length, client.Overdue.Count));

        // A run whose policy has no auditors does not change the list of answers that are not audited.
        Assert.True((await fixture.Client(store).LookupAsync(Alice, Cancellation)).IsValid);
        Assert.Equal((2, 1), (store.Current.Unaudited.Length, client.Overdue.Count));
        Assert.Equal(0, client.AcceptOverdue([client.Overdue[0] with { BelievedAtMs = 0 }]));
        Assert.Equal(1, client.AcceptOverdue([.. store.Current.Unaudited]));

        Assert.Empty(client.Overdue);
        Assert.Equal(Base64UrlText.Encode("bob"u8), Assert.Single(store.Current.Unaudited).Key);
        Assert.Equal(0, client.AcceptOverdue([.. store.Current.Unaudited]));
    }

    [Fact]
    public async Task A_proof_is_left_out_only_as_long_as_the_same_auditors_go_on()
    {
        await using Fixture fixture = await StartAsync();
        TrustAnchor anchor = _cosigners.Anchor(1, s_lag, ("first", 0), ("second", fixture.Log.Latest + 1));
        ulong first = fixture.Log.Latest + 1;
        ulong second = 0;
        byte[] Sign(string name, ulong size) => _cosigners.Sign(fixture.Log, size, fixture.Clock.UtcNow, name);
        fixture.Server.Cosignatures = () =>
            second == 0 ? TestCosigners.Answer(Sign("first", first)) : TestCosigners.Answer(Sign("first", first), Sign("second", second));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        ulong proven = fixture.Log.Latest;
        Assert.True((await Client(fixture, store, anchor).LookupAsync(Alice, Cancellation)).Head!.IsAudited);
        fixture.Publish();
        first = fixture.Log.Latest + 1;
        LookupResult known = await Client(fixture, store, anchor).LookupAsync(Alice, Cancellation);
        Assert.Equal((true, true), (known.Unchanged, known.Head!.IsAudited));
        // The answer left out proofs, so the state keeps the epoch at which the client verified these proofs.
        Assert.Equal(proven, store.Current.SeenKeys[Base64UrlText.Encode(Alice)].At.ProvenEpoch);

        // The coverage of one auditor ends at the epoch before the other auditor's coverage begins, so neither auditor verified the step
        // between these two epochs.
        fixture.Publish();
        second = fixture.Log.Latest + 1;
        LookupResult between = await Client(fixture, store, anchor).LookupAsync(Alice, Cancellation);
        Assert.Equal((true, false), (between.Unchanged, between.Head!.IsAudited));
        LookupResult whole = await Client(fixture, store, anchor).LookupAsync(Alice, Cancellation);
        Assert.Equal(0UL, fixture.Server.LastQueries[0].Version);
        Assert.Equal((false, true), (whole.Unchanged, whole.Head!.IsAudited));
        Assert.Equal(fixture.Log.Latest, store.Current.SeenKeys[Base64UrlText.Encode(Alice)].At.ProvenEpoch);
    }

    [Theory]
    [InlineData(0, true)]
    [InlineData(1, false)]
    public async Task An_owners_looks_rest_on_its_first_one(ulong later, bool audited)
    {
        await using Fixture fixture = await StartAsync();
        fixture.PublishItems(FixtureItem.Name("user", "id"u8.ToArray()), FixtureItem.List("id"u8.ToArray(), "phone"),
            FixtureItem.Device("phone", "1"));
        fixture.Server.Cosignatures = () =>
            TestCosigners.Answer(_cosigners.Sign(fixture.Log, fixture.Log.Latest + 1, fixture.Clock.UtcNow, "a"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        ulong first = fixture.Log.Latest;
        TrustAnchor anchor = _cosigners.Anchor(1, s_lag, ("a", first + later));
        VerifiedAnswer[] looks =
        [
            await Client(fixture, store, anchor).MonitorAsync(Alice, Cancellation),
            await Client(fixture, store, anchor).MonitorUserAsync("user"u8.ToArray(), cancellationToken: Cancellation),
        ];
        Assert.All(looks, look => Assert.Equal((true, audited), (look.IsValid, look.Head!.IsAudited)));
        fixture.PublishItems(FixtureItem.Device("alice", "two"), FixtureItem.Device("phone", "2"));

        MonitorResult key = await Client(fixture, store, anchor).MonitorAsync(Alice, Cancellation);
        UserMonitorResult user = await Client(fixture, store, anchor).MonitorUserAsync("user"u8.ToArray(), cancellationToken: Cancellation);

        // If the auditor covers the epoch at which the owner first monitored the key, the answers leave out the versions that the owner saw
        // then. If the auditor began later, the servers show all versions again.
        Assert.Equal((2UL, 1), (key.Version, key.NewVersions.Count));
        Assert.Equal(["2"],
            user.NewVersions.SelectMany(device => device.Versions).Select(version => Encoding.UTF8.GetString(version.Value!.Value.Span)));
        Assert.Equal((true, true), (key.Head!.IsAudited, user.Head!.IsAudited));
        Assert.Equal([1UL, 2UL], key.Alarms.Select(alarm => alarm.Version));
        first = audited ? first : fixture.Log.Latest;
        Assert.Equal((first, first),
            (store.Current.OwnKeys[Base64UrlText.Encode(Alice)].At!.ProvenEpoch, store.Current.OwnLists.Values.Single().At!.ProvenEpoch));
        // A history lists all versions. So it does not depend on earlier answers whether the history is audited.
        Assert.True((await Client(fixture, store, anchor).HistoryAsync(Alice, Cancellation)).Head!.IsAudited);
    }

    [Fact]
    public async Task A_cosigned_checkpoint_that_is_ahead_becomes_the_head()
    {
        await using Fixture fixture = await StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        fixture.Server.Cosignatures = () =>
        {
            fixture.Log.Publish(("bob", "b"));
            return TestCosigners.Answer(_cosigners.Sign(fixture.Log, fixture.Log.Latest + 1, fixture.Clock.UtcNow, "a"));
        };
        OptiksClient client = Client(fixture, store, _cosigners.Anchor(1, s_lag, ("a", 0)));

        LookupResult result = await client.LookupAsync(Alice, Cancellation);

        Assert.Equal((Verdict.Present, true), (result.Verdict, result.Head!.IsAudited));
        Assert.Equal(result.Head.Epoch + 2, store.Current.Head!.Size);
        Assert.Equal(result.Head.Epoch, EpochRecord.ReadEpoch(store.Current.Head.Record));
        fixture.Clock.UtcNow = fixture.Log.Now;
        Assert.Equal(Verdict.Present, (await client.LookupAsync("bob"u8.ToArray(), Cancellation)).Verdict);
    }

    [Fact]
    public async Task Servers_are_asked_about_cosigners_once_in_some_seconds_and_in_turn()
    {
        await using Fixture fixture = await Fixture.StartAsync(replicas: 2);
        fixture.Publish(("alice", "one"));
        // Only replica 1 serves the cosignatures, so the client must get them from there although it asks replica 0 for the key.
        fixture.Replica(1).Cosignatures = () =>
            TestCosigners.Answer(_cosigners.Sign(fixture.Log, fixture.Log.Latest + 1, fixture.Clock.UtcNow, "a"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        TrustAnchor anchor = _cosigners.Anchor(1, s_lag, ("a", 0));
        OptiksClient client = fixture.Client(
            store, null, options => options with { TrustAnchor = anchor, CosignersAfter = TimeSpan.FromHours(1) });
        Assert.True((await client.LookupAsync(Alice, Cancellation)).Head!.IsAudited);
        for (int i = 0; i < 3; i++)
        {
            fixture.Publish();
            Assert.False((await client.LookupAsync(Alice, Cancellation)).Head!.IsAudited);
        }
        Assert.Equal(1, fixture.Server.Requests.Count(request => request == "GET /v1/cosignatures"));
        Assert.Equal(1, fixture.Replica(1).Requests.Count(request => request == "GET /v1/cosignatures"));
    }

    [Fact]
    public async Task Without_a_policy_nobody_is_asked()
    {
        await using Fixture fixture = await StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        LookupResult result = await fixture.Client(store).LookupAsync(Alice, Cancellation);
        Assert.Equal((Verdict.Present, false), (result.Verdict, result.Head!.IsAudited));
        Assert.Empty(store.Current.Unaudited);
        Assert.DoesNotContain("GET /v1/cosignatures", fixture.Server.Requests);
    }

    [Fact]
    public async Task A_state_whose_cosigners_did_not_sign_is_refused()
    {
        await using Fixture fixture = await StartAsync();
        fixture.Server.Cosignatures = () =>
            TestCosigners.Answer(_cosigners.Sign(fixture.Log, fixture.Log.Latest + 1, fixture.Clock.UtcNow, "a"));
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            Assert.True(
                (await Client(fixture, store, _cosigners.Anchor(1, s_lag, ("a", 0))).LookupAsync(Alice, Cancellation)).Head!.IsAudited);
        }
        (await fixture.OpenStoreAsync()).Dispose();
        StateEditor.Edit(fixture.Folder.In("client"), state => state with
        {
            Cosigners = state.Cosigners.ToImmutableDictionary(_ => _cosigners.Key("b").ToString(), one => one.Value),
        });
        await Assert.ThrowsAsync<ClientStateException>(() => fixture.OpenStoreAsync());
    }

    private static async Task<Fixture> StartAsync()
    {
        Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("bob", "b"));
        fixture.Publish(("alice", "one"));
        return fixture;
    }

    private static OptiksClient Client(Fixture fixture, JournalClientStateStore store, TrustAnchor anchor, TimeSpan? retryFor = null) =>
        fixture.Client(store, retryFor, options => options with { TrustAnchor = anchor });
}
