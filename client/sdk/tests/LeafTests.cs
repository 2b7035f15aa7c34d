using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>
/// Tests which leaf statements an owner keeps, and that these statements convict a log which rewrites, drops or backdates published
/// versions (docs/spec/broken-append.md).
/// </summary>
public sealed class LeafTests
{
    private static readonly byte[] s_alice = "alice"u8.ToArray();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("another value", "monitor")]
    [InlineData("another value", "history")]
    [InlineData("another value", "lookup")]
    [InlineData("dropped", "monitor")]
    [InlineData("dropped", "history")]
    [InlineData("another old value", "history")]
    [InlineData("earlier than it was", "monitor")]
    public async Task A_key_that_was_rewritten_is_proven_by_what_its_owner_kept(string lie, string call)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        fixture.Publish(("alice", "two"));
        fixture.Publish();
        using FixtureLog second = Rewritten(fixture, lie);
        string path;
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            var losing = new LosingStore(store);
            OptiksClient client = fixture.Client(losing);
            Assert.Equal(2, (await client.MonitorAsync(s_alice, Cancellation)).Alarms.Count);
            Assert.True((await client.HistoryAsync(s_alice, Cancellation)).IsValid);
            Show(fixture, store, second);
            if (call == "lookup")
            {
                // The value is lost, so that the client asks for all versions. Otherwise the server would leave out the known versions.
                losing.Lost.Add(ValueHash.Of("two"u8));
            }

            VerifiedAnswer refused = await AskAsync(client, call);

            Assert.Equal((Verdict.Fork, Reason.LeafContradicts), (refused.Verdict, refused.Reason));
            path = Assert.IsType<string>(refused.EvidencePath);
            Assert.Equal(new ForkState(path, Reason.LeafContradicts), store.Current.Fork);
        }
        EvidenceVerdict judged = EvidenceJudge.Judge(path, FixtureLog.Anchor);
        Assert.Equal((EvidenceKind.BrokenAppend, true, Reason.LeafContradicts), (judged.Kind, judged.IsProof, judged.Breach));
        Assert.Contains("alice", judged.Sentence, StringComparison.Ordinal);
        Assert.Contains(judged.Sentence, File.ReadAllText(Path.Combine(path, "README.txt")), StringComparison.Ordinal);

        // The verdict stays even after a restart, and no matter what the server shows later.
        fixture.Server.Log = fixture.Log;
        using JournalClientStateStore reopened = await fixture.OpenStoreAsync();
        LookupResult later = await fixture.Client(reopened).LookupAsync("somebody", Cancellation);
        Assert.Equal((Verdict.Fork, Reason.LeafContradicts, path), (later.Verdict, later.Reason, later.EvidencePath));
    }

    [Fact]
    public async Task Evidence_proves_what_it_is_and_nothing_else()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        fixture.Publish(("alice", "two"));
        fixture.Publish();
        using FixtureLog second = Rewritten(fixture, "another value");
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.True((await client.MonitorAsync(s_alice, Cancellation)).IsValid);
        Show(fixture, store, second);
        string path = (await client.MonitorAsync(s_alice, Cancellation)).EvidencePath!;
        (string kept, string received) = (Path.Combine(path, "kept-leaf.bin"), Path.Combine(path, "received-leaf.bin"));
        (byte[] first, byte[] then) = (File.ReadAllBytes(kept), File.ReadAllBytes(received));

        // The statements that the client stored do not contain the key's value.
        Assert.True(first.AsSpan().IndexOf("two"u8) < 0 && then.AsSpan().IndexOf("false"u8) < 0);
        foreach ((byte[] one, byte[] other, Reason reason) in ((byte[], byte[], Reason)[])
        [
            (then, first, Reason.LeafContradicts), (first, first, Reason.LeafAgrees), (first, [.. then, 0], Reason.MalformedTrailing),
            (first, Flip(then, 100), Reason.RecordCount), (first[..^1], then, Reason.MalformedTruncated),
            (first, Flip(then, then.Length - 1), Reason.MemberRoot),
        ])
        {
            File.WriteAllBytes(kept, one);
            File.WriteAllBytes(received, other);
            EvidenceVerdict judged = EvidenceJudge.Judge(path, null);
            Assert.Equal(reason == Reason.LeafContradicts, judged.IsProof);
            Assert.True(
                judged.Breach == reason || (reason == Reason.RecordCount && judged.Breach is Reason.RecordCount or Reason.InclusionProof),
                $"{judged.Breach} instead of {reason}");
        }
        File.Delete(received);
        Assert.Throws<InvalidDataException>(() => EvidenceJudge.Judge(path, null));
    }

    [Theory]
    [InlineData("a device's value", "user monitor")]
    [InlineData("a list", "user history")]
    [InlineData("a list dropped", "user monitor")]
    [InlineData("a user who is back", "user monitor")]
    [InlineData("a user who is back", "user lookup")]
    [InlineData("a name", "user lookup")]
    [InlineData("a name dropped", "user lookup")]
    public async Task A_user_who_was_rewritten_is_proven_by_what_its_owner_kept(string lie, string call)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        ReadOnlyMemory<byte> user = await UserAttackTests.CreateAsync(fixture, client, "phone");
        Assert.True((await client.LookupUserAsync("alice", Cancellation)).IsValid);
        ulong size = fixture.Log.Latest + 1;
        bool returns = lie == "a user who is back";
        FixtureItem[] honest = returns
            ? [FixtureItem.Left(user)]
            : [FixtureItem.List(user, "phone", "laptop"), FixtureItem.Device("laptop", "1")];
        // For a lie about the contents of epoch 1, the second log must differ from epoch 1 on.
        using FixtureLog second = fixture.Log.Fork(lie is "a device's value" or "a list" or "a name" or "a name dropped" ? 1 : size);
        fixture.PublishItems(honest);
        fixture.Publish();
        Assert.Equal(returns, (await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation)).HasLeft);
        Assert.True((await client.LookupUserAsync("alice", Cancellation)).IsValid);
        FixtureItem name = FixtureItem.Name("alice", lie == "a name" ? "another user"u8.ToArray() : user);
        FixtureItem[] others = lie == "a name dropped" ? [] : [name];
        ReadOnlyMemory<byte> shown = lie == "a name" ? "another user"u8.ToArray() : user;
        second.Publish(
            [.. second.Latest > 0 ? [] : others,
                .. second.Latest > 0
                    ? []
                    : (FixtureItem[])[FixtureItem.List(shown, lie == "a list" ? "tablet" : "phone"),
                        FixtureItem.Device("phone", lie == "a device's value" ? "false" : "1")]]);
        if (lie is "a list" or "a device's value")
        {
            second.Publish([FixtureItem.List(user, "phone", "laptop"), FixtureItem.Device("laptop", "1")]);
        }
        second.PublishMany(3, _ => []);
        Show(fixture, store, second, forgetsName: call == "user lookup");

        Reason reason = await AskUserAsync(client, call);

        Assert.Equal(Reason.LeafContradicts, reason);
        EvidenceVerdict judged = EvidenceJudge.Judge(store.Current.Fork!.EvidencePath, FixtureLog.Anchor);
        Assert.True(judged.IsProof, judged.Sentence);
    }

    [Fact]
    public async Task So_many_statements_are_kept_and_no_more()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(LeafRules.MaxVersions + 4, i => [("alice", $"{i}"), ("bob", $"{i}")]);
        fixture.Publish();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.True((await client.MonitorAsync(s_alice, Cancellation)).IsValid);
        // The client keeps no statements about this key, because it is not the owner's.
        Assert.True((await client.LookupAsync("bob", Cancellation)).IsValid);

        (StructureKey name, System.Collections.Immutable.ImmutableArray<KeptLeaf> kept) = Assert.Single(store.Current.Leaves);
        Assert.Equal(StructureKey.OfKey(Base64UrlText.Encode(s_alice)), name);
        Assert.Equal(
            [.. Enumerable.Range(5, LeafRules.MaxVersions).Reverse().Select(version => ((ulong)version, true)),
                (LeafRules.MaxVersions + 5UL, false)], kept.Select(leaf => (leaf.Version, leaf.IsPresent)));
        Assert.All(kept, leaf => Assert.NotNull(store.FindValue(leaf.Sha256)));
        Assert.Equal(ValueNames(store.Current), Stored(fixture));

        // When the owner monitors the key again, new statements replace the oldest statement of presence and the statement of absence.
        fixture.Publish(("alice", "new"));
        Assert.Equal(LeafRules.MaxVersions + 5UL, (await client.MonitorAsync(s_alice, Cancellation)).Version);
        Assert.Equal(LeafRules.MaxVersions + 1, store.Current.Leaves.Single().Value.Length);
        Assert.Equal(ValueNames(store.Current), Stored(fixture));
    }

    // Returns the SHA-256 of each value and statement that the state names, and of each one that the journal has.
    private static IEnumerable<string> ValueNames(ClientState state) => state.ValueNames().Order(StringComparer.Ordinal);

    private static IEnumerable<string> Stored(Fixture fixture) => StateEditor.Read(fixture.Folder.In("client"))
        .Where(record => record.Key.Kind is RecordKind.Value or RecordKind.Leaf)
        .Select(record => ValueHash.Of(record.Value.AsSpan(1))).Order(StringComparer.Ordinal);

    [Theory]
    [InlineData("lost")]
    [InlineData("forged")]
    [InlineData("of another log")]
    public async Task What_was_kept_and_is_none_convicts_nobody(string kept)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        fixture.Publish(("alice", "two"));
        fixture.Publish();
        using FixtureLog second = Rewritten(fixture, "another value");
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        var losing = new LosingStore(store);
        OptiksClient client = fixture.Client(losing);
        Assert.True((await client.MonitorAsync(s_alice, Cancellation)).IsValid);
        foreach (KeptLeaf leaf in store.Current.Leaves.Single().Value)
        {
            byte[] statement = store.FindValue(leaf.Sha256)!;
            if (kept == "lost")
            {
                losing.Lost.Add(leaf.Sha256);
                continue;
            }
            byte[] other = kept == "forged" ? Flip(statement, statement.Length - 1) : Flip(statement, 10);
            store.TryUpdate(
                current =>
                    current with
                    {
                        Leaves = current.Leaves.SetItem(current.Leaves.Keys.Single(),
                        [.. current.Leaves.Values.Single().Select(one => one == leaf ? one with { Sha256 = ValueHash.Of(other) } : one)])
                    },
                [other]);
        }
        Show(fixture, store, second);

        MonitorResult refused = await client.MonitorAsync(s_alice, Cancellation);

        Assert.Equal((Verdict.Invalid, Reason.VersionRegressed), (refused.Verdict, refused.Reason));
        Assert.Null(store.Current.Fork);
    }

    [Fact]
    public async Task A_server_that_makes_up_a_contradiction_convicts_nobody()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        fixture.Publish(("alice", "two"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.True((await client.MonitorAsync(s_alice, Cancellation)).IsValid);
        fixture.Server.Mutate = (path, answer) =>
        {
            if (path != "/v1/history")
            {
                return answer;
            }
            Member member = VersionsAnswer.Decode(answer).Versions[0].Members[0];
            Assert.True(
                System.Runtime.InteropServices.MemoryMarshal.TryGetArray(member.CommitmentOrOpening, out ArraySegment<byte> opening));
            return Flip(answer, opening.Offset);
        };

        Assert.Equal(Reason.MemberRoot, (await client.HistoryAsync(s_alice, Cancellation)).Reason);
        Assert.Null(store.Current.Fork);
        fixture.Server.Mutate = (_, answer) => answer;
        Assert.True((await client.HistoryAsync(s_alice, Cancellation)).IsValid);
    }

    [Fact]
    public async Task A_look_shows_the_latest_known_version_once_more_and_what_is_too_early_is_refused()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        fixture.Publish(("alice", "two"));
        fixture.Publish();
        using FixtureLog second = Rewritten(fixture, "earlier than it was");
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.Equal([1UL, 2UL], (await client.MonitorAsync(s_alice, Cancellation)).NewVersions.Select(version => version.Version));
        MonitorResult again = await client.MonitorAsync(s_alice, Cancellation);
        Assert.Equal((true, 0), (again.IsValid, again.NewVersions.Count));
        Assert.Equal(2UL, Assert.Single(fixture.Server.LastQueries).Version);
        // Even without stored statements, the client detects the lie by the version's time.
        store.TryUpdate(current => current with { Leaves = current.Leaves.Clear() }, []);
        Show(fixture, store, second);

        Assert.Equal(Reason.LeafEpochOrder, (await client.MonitorAsync(s_alice, Cancellation)).Reason);
    }

    // Returns a second log with the same secrets and first epochs as the fixture's log. It continues with different epochs and becomes
    // longer than the fixture's log.
    private static FixtureLog Rewritten(Fixture fixture, string lie)
    {
        FixtureLog second = fixture.Log.Fork(lie switch { "another old value" => 1UL, "earlier than it was" => 3UL, _ => 2UL });
        switch (lie)
        {
            case "another value":
                second.Publish(("alice", "false"));
                break;
            case "another old value":
                second.Publish(("alice", "false"));
                second.Publish(("alice", "two"));
                break;
            case "earlier than it was":
                // The second log adds version 3 at an epoch at which an answer to the owner proved that there was no version 3.
                second.Publish(("alice", "three"));
                break;
        }
        second.PublishMany(3, _ => []);
        return second;
    }

    // Removes the head from the client's state, and makes the server show the second log. Otherwise the kept head would reveal the fork at
    // once, but these tests are about the leaf statements.
    private static void Show(Fixture fixture, JournalClientStateStore store, FixtureLog second, bool forgetsName = false)
    {
        store.TryUpdate(
            current => forgetsName
                ? current.ForgetUsers() with { Head = null, Names = current.Names.Clear() }
                : current with { Head = null }, []);
        fixture.Server.DeniesWhatIsKnown = true;
        fixture.Server.Log = second;
        fixture.Clock.UtcNow = second.Now;
    }

    private static async Task<VerifiedAnswer> AskAsync(OptiksClient client, string call) => call switch
    {
        "lookup" => await client.LookupAsync("alice", Cancellation),
        "history" => await client.HistoryAsync(s_alice, Cancellation),
        _ => await client.MonitorAsync(s_alice, Cancellation),
    };

    private static async Task<Reason> AskUserAsync(OptiksClient client, string call) => call switch
    {
        "user lookup" => (await client.LookupUserAsync("alice", Cancellation)).Reason,
        "user history" => (await client.UserHistoryAsync(s_alice, cancellationToken: Cancellation)).Reason,
        _ => (await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation)).Reason,
    };

    private static byte[] Flip(byte[] octets, int position)
    {
        byte[] flipped = [.. octets];
        flipped[position] ^= 1;
        return flipped;
    }
}
