using System.Text;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

public sealed class StateTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task State_is_on_disk_before_a_result_is_reported()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        // The process dies after it has stored the state and before it reports the result.
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            await Assert.ThrowsAsync<KilledException>(
                () => fixture.Client(new KilledStore(store, afterWrite: true)).LookupAsync("alice", Cancellation));
        }
        fixture.Publish();
        using JournalClientStateStore reopened = await fixture.OpenStoreAsync();
        Assert.Equal(2UL, reopened.Current.Head!.Size);

        LookupResult result = await fixture.Client(reopened).LookupAsync("alice", Cancellation);

        Assert.True(result.Unchanged);
        Assert.Equal("one", Encoding.UTF8.GetString(result.Value!.Value.Span));
    }

    [Fact]
    public async Task A_state_that_the_next_start_would_refuse_is_not_written()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            await fixture.Client(store).LookupAsync("alice", Cancellation);
            ClientState before = store.Current;
            byte[] damaged = [.. before.Head!.Checkpoint];
            damaged[^3] = damaged[^3] == (byte)'A' ? (byte)'E' : (byte)'A';
            Assert.Throws<ClientStateException>(
                () => store.TryUpdate(current => current with { Head = current.Head! with { Checkpoint = damaged } }, []));
            Assert.Same(before, store.Current);
        }
        using JournalClientStateStore reopened = await fixture.OpenStoreAsync();
        Assert.Equal(2UL, reopened.Current.Head!.Size);
        Assert.True((await fixture.Client(reopened).LookupAsync("alice", Cancellation)).Unchanged);
    }

    [Fact]
    public async Task What_could_not_be_stored_is_not_reported()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        await Assert.ThrowsAsync<KilledException>(
            () => fixture.Client(new KilledStore(store, afterWrite: false)).LookupAsync("alice", Cancellation));
        Assert.Null(store.Current.Head);
        Assert.True((await fixture.Client(store).LookupAsync("alice", Cancellation)).IsValid);
    }

    [Fact]
    public async Task Unchanged_state_is_not_written_again()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        await client.LookupAsync("alice", Cancellation);
        ClientState before = store.Current;
        Assert.True((await client.LookupAsync("alice", Cancellation)).IsValid);
        Assert.Same(before, store.Current);
        fixture.Publish();
        Assert.True((await client.LookupAsync("alice", Cancellation)).IsValid);
        Assert.NotSame(before, store.Current);
    }

    [Fact]
    public async Task A_server_that_steps_back_is_stale_and_nothing_is_forgotten()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        fixture.Publish(("alice", "two"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.Equal(2UL, (await client.LookupAsync("alice", Cancellation)).Version);
        HeadState kept = store.Current.Head!;

        // This answer is old but true: it has a signed head that the server could give to a client without a state.
        byte[] old = [.. (await fixture.Log.HeadAsync(1, 0))!, .. fixture.Log.Lookups(1, [new FixtureQuery("alice"u8.ToArray(), 0, 0)])];
        fixture.Server.Mutate = (_, _) => old;
        LookupResult result = await client.LookupAsync("alice", Cancellation);

        Assert.Equal((Verdict.Stale, Reason.Stale), (result.Verdict, result.Reason));
        Assert.Null(result.Value);
        Assert.Same(kept, store.Current.Head);
        fixture.Server.Mutate = (_, answer) => answer;
        Assert.Equal(2UL, (await client.LookupAsync("alice", Cancellation)).Version);
    }

    [Fact]
    public async Task Another_replica_answers_when_one_is_behind_or_unreachable()
    {
        await using Fixture fixture = await Fixture.StartAsync(replicas: 3);
        fixture.Publish(("alice", "one"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.True((await client.LookupAsync("alice", Cancellation)).IsValid);
        fixture.Publish(("alice", "two"));
        using (JournalClientStateStore other = await fixture.OpenStoreAsync("other"))
        {
            Assert.True((await fixture.Client(other).LookupAsync("alice", Cancellation)).IsValid);
        }
        Assert.True((await client.LookupAsync("alice", Cancellation)).IsValid);
        byte[] old = [.. (await fixture.Log.HeadAsync(1, 0))!, .. fixture.Log.Lookups(1, [new FixtureQuery("alice"u8.ToArray(), 0, 0)])];
        fixture.Replica(0).Mutate = (_, _) => old;
        fixture.Replica(1).Refuse = _ => (503, "unavailable");

        LookupResult result = await client.LookupAsync("alice", Cancellation);

        Assert.Equal((Verdict.Present, 2UL), (result.Verdict, result.Version));
        Assert.Contains("POST /v1/lookup", fixture.Replica(2).Requests);
    }

    [Fact]
    public async Task A_fork_writes_both_views_and_stops_the_client()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using FixtureLog second = fixture.Log.Fork(2);
        fixture.Publish(("alice", "two"));
        second.Publish(("alice", "false"));
        string evidence;
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            OptiksClient client = fixture.Client(store);
            Assert.True((await client.LookupAsync("alice", Cancellation)).IsValid);
            byte[] lie = [.. (await second.HeadAsync(2, 0))!, .. second.Lookups(2, [new FixtureQuery("alice"u8.ToArray(), 0, 0)])];
            fixture.Server.Mutate = (_, _) => lie;

            LookupResult result = await client.LookupAsync("alice", Cancellation);

            Assert.Equal((Verdict.Fork, Reason.Fork), (result.Verdict, result.Reason));
            evidence = Assert.IsType<string>(result.EvidencePath);
            byte[] kept = File.ReadAllBytes(Path.Combine(evidence, "kept-checkpoint.txt"));
            byte[] received = File.ReadAllBytes(Path.Combine(evidence, "received-checkpoint.txt"));
            var anchor = TrustAnchor.Load(Path.Combine(evidence, "trust.json"));
            Assert.Equal(Reason.Valid, Native.LogVerifier.Checkpoint(anchor, kept, out ulong keptSize, out byte[] keptRoot));
            Assert.Equal(Reason.Valid, Native.LogVerifier.Checkpoint(anchor, received, out ulong receivedSize, out byte[] receivedRoot));
            Assert.Equal(keptSize, receivedSize);
            Assert.NotEqual(keptRoot, receivedRoot);
            Assert.Equal(second.Record(2), File.ReadAllBytes(Path.Combine(evidence, "received-record.bin")));
            Assert.Equal(fixture.Log.Record(2), File.ReadAllBytes(Path.Combine(evidence, "kept-record.bin")));
        }
        // The server is honest again, but the client still believes no answer.
        fixture.Server.Mutate = (_, answer) => answer;
        using JournalClientStateStore reopened = await fixture.OpenStoreAsync();
        LookupResult later = await fixture.Client(reopened).LookupAsync("bob", Cancellation);
        Assert.Equal((Verdict.Fork, evidence), (later.Verdict, later.EvidencePath));
    }

    [Fact]
    public async Task A_signed_log_that_does_not_extend_the_kept_one_is_a_fork()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using FixtureLog second = fixture.Log.Fork(2);
        fixture.Publish(("alice", "two"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.True((await client.LookupAsync("alice", Cancellation)).IsValid);
        second.Publish(("alice", "false"));
        second.Publish();
        fixture.Server.Log = second;
        fixture.Clock.UtcNow = second.Now;

        LookupResult result = await client.LookupAsync("alice", Cancellation);

        Assert.Equal((Verdict.Fork, Reason.Fork), (result.Verdict, result.Reason));
        EvidenceCheck.Proves(result.EvidencePath!);
        Assert.Equal(3UL, store.Current.Head!.Size);
    }

    [Fact]
    public async Task State_of_another_log_damaged_state_and_a_second_user_are_refused()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            await fixture.Client(store).LookupAsync("alice", Cancellation);
            await Assert.ThrowsAsync<ClientStateException>(() => fixture.OpenStoreAsync());
        }
        Configuration other = FixtureLog.Configuration with { MaxDevices = 1 };
        var anchor = TrustAnchor.Create(other.Encode(), FixtureLog.Anchor.LogKey);
        ClientStateException wrong =
            await Assert.ThrowsAsync<ClientStateException>(
                () => JournalClientStateStore.OpenAsync(fixture.Folder.In("client"), anchor, TimeSpan.Zero, cancellationToken: Cancellation));
        Assert.Contains("another log", wrong.Message, StringComparison.Ordinal);
        string file = fixture.Folder.In("client/state.journal");
        byte[] state = File.ReadAllBytes(file);
        File.WriteAllBytes(file, [.. state[..80], 0xFF, .. state[81..]]);
        ClientStateException damaged = await Assert.ThrowsAsync<ClientStateException>(() => fixture.OpenStoreAsync());
        Assert.Contains("damaged", damaged.Message, StringComparison.Ordinal);
        File.WriteAllBytes(file, state);
        using JournalClientStateStore again = await fixture.OpenStoreAsync();
        Assert.Equal(2UL, again.Current.Head!.Size);
    }

    [Theory]
    [InlineData("record", 2)]
    [InlineData("record", EpochRecord.Length - 1)]
    [InlineData("record", 0)]
    [InlineData("root", 0)]
    [InlineData("checkpoint", 40)]
    public async Task A_head_that_was_cut_is_damaged_and_said_so(string member, int length)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            Assert.True((await fixture.Client(store).LookupAsync("alice", Cancellation)).IsValid);
        }
        string file = fixture.Folder.In("client/state.journal");
        byte[] whole = File.ReadAllBytes(file);
        HeadState head = LogRecord.DecodeHead(StateEditor.Read(fixture.Folder.In("client"))[RecordKeys.Head]);
        StateEditor.Put(fixture.Folder.In("client"), RecordKeys.Head, LogRecord.EncodeHead(member switch
        {
            "record" => head with { Record = head.Record[..length] },
            "root" => head with { Root = new byte[RecordHash.Length] },
            _ => head with { Checkpoint = head.Checkpoint[..length] },
        }));

        ClientStateException e = await Assert.ThrowsAsync<ClientStateException>(() => fixture.OpenStoreAsync());

        Assert.Contains("damaged", e.Message, StringComparison.Ordinal);
        File.WriteAllBytes(file, whole);
        using JournalClientStateStore again = await fixture.OpenStoreAsync();
        Assert.True((await fixture.Client(again).LookupAsync("alice", Cancellation)).IsValid);
    }

    [Fact]
    public async Task State_files_are_private()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        await fixture.Client(store).LookupAsync("alice", Cancellation);
        Assert.Equal(AtomicFile.PrivateMode, File.GetUnixFileMode(fixture.Folder.In("client/state.journal")));
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute,
            File.GetUnixFileMode(fixture.Folder.In("client")));
    }

    [Fact]
    public async Task State_that_is_a_link_is_kept_where_the_link_leads()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        Directory.CreateDirectory(fixture.Folder.In("client"));
        File.CreateSymbolicLink(fixture.Folder.In("client/state.journal"), "../kept.journal");
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            await fixture.Client(store).LookupAsync("alice", Cancellation);
        }
        Assert.Equal("../kept.journal", new FileInfo(fixture.Folder.In("client/state.journal")).LinkTarget);
        Assert.True(File.ReadAllBytes(fixture.Folder.In("kept.journal")).AsSpan().StartsWith("OPTIKSST"u8));
        using JournalClientStateStore reopened = await fixture.OpenStoreAsync();
        Assert.NotNull(reopened.Current.Head);
    }

    [Fact]
    public async Task A_folder_that_cannot_be_locked_is_not_said_to_be_in_use()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        // Put a folder in place of the lock file, so that locking fails even for root.
        Directory.CreateDirectory(fixture.Folder.In("client/lock"));
        IOException refused = await Assert.ThrowsAnyAsync<IOException>(() => fixture.OpenStoreAsync());
        Assert.Contains("lock", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("Another process", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Root_leaves_nothing_in_another_users_folder()
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "Only root writes into everyone's folders.");
        await using Fixture fixture = await Fixture.StartAsync();
        Directory.CreateDirectory(fixture.Folder.In("home"));
        using (var changed = System.Diagnostics.Process.Start("chown", ["54321", fixture.Folder.In("home")]))
        {
            await changed.WaitForExitAsync(Cancellation);
        }
        ClientStateException refused = await Assert.ThrowsAsync<ClientStateException>(
            () => fixture.OpenStoreAsync("home/optiks/client"));
        Assert.Contains("54321", refused.Message, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFileSystemEntries(fixture.Folder.In("home")));
    }

    [Fact]
    public async Task Calls_side_by_side_keep_one_view()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish([.. Enumerable.Range(0, 20).Select(i => ($"key-{i}", "v"))]);
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store, TimeSpan.FromSeconds(5));
        for (int round = 0; round < 3; round++)
        {
            LookupResult[] results = await Task.WhenAll(Enumerable.Range(0, 20).Select(i => client.LookupAsync($"key-{i}", Cancellation)));
            Assert.All(results, result => Assert.Equal(Verdict.Present, result.Verdict));
            Assert.Equal(20, store.Current.SeenKeys.Count);
            Assert.Equal(fixture.Log.Latest + 1, store.Current.Head!.Size);
            fixture.Publish();
        }
    }
}
