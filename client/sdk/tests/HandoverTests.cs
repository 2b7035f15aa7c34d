using System.Buffers.Binary;
using System.Net;
using System.Text;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>
/// Tests a key's hand-over from one period to the next (docs/spec/periods.md sections 6 and 7): what monitoring reports to the owner, and
/// which lies of a server the client must not believe.
/// </summary>
public sealed class HandoverTests
{
    private static readonly byte[] s_alice = "alice"u8.ToArray();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task An_honest_switch_alarms_nobody_and_each_side_is_verified()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = await OwnerAsync(fixture, store, "one");
        await SetAsync(fixture, client, "two");
        fixture.Switch();
        MonitorResult over = await client.MonitorAsync(s_alice, Cancellation);
        await SetAsync(fixture, client, "three");
        MonitorResult after = await client.MonitorAsync(s_alice, Cancellation);

        // Only version 2 of period 0 is new to the owner. The copy in period 1 does not count as a new version.
        Assert.Equal([(0UL, 2UL)], over.NewVersions.Select(version => (version.Period, version.Version)));
        Assert.Equal((1UL, 0, 0), (over.Version, over.Alarms.Count, over.Pending));
        Assert.Equal([0UL], over.HandedOver);
        Assert.Equal([(1UL, 2UL)], after.NewVersions.Select(version => (version.Period, version.Version)));
        Assert.Empty(after.HandedOver);
        Assert.Empty(after.NoGuarantee);
        Assert.Empty(after.Alarms);
        // No owner needs the end of period 0 any more.
        Assert.Empty(store.Current.PeriodEnds);
        LookupResult lookup = await client.LookupAsync("alice", Cancellation);
        Assert.Equal((2UL, 1UL, "three"), (lookup.Version, lookup.Head!.Period, Encoding.UTF8.GetString(lookup.Value!.Value.Span)));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_version_in_the_last_epochs_of_a_period_is_an_alarm_also_if_the_copy_is_honest_again(bool looksUpFirst)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = await OwnerAsync(fixture, store, "one");
        fixture.Publish(("alice", "forged"));
        fixture.Switch(copies => [.. copies.Select(copy => copy with { Version = 1, Value = "one"u8.ToArray() })]);
        if (looksUpFirst)
        {
            // The client already knows later epochs, but the owner must still verify the end of the period.
            Assert.Equal(Verdict.Present, (await client.LookupAsync("alice", Cancellation)).Verdict);
        }
        MonitorResult found = await client.MonitorAsync(s_alice, Cancellation);

        Assert.Equal([(0UL, 2UL, default(Reason?)), (1UL, 1UL, (Reason?)Reason.HandoverValue)],
            found.Alarms.Select(alarm => (alarm.Period, alarm.Version, alarm.Handover)));
        Assert.Empty(found.HandedOver);
        AlarmReview review = await client.ReviewAlarmsAsync(s_alice, Cancellation);
        Assert.Equal(["forged", "one"], review.Alarms.Select(reviewed => Encoding.UTF8.GetString(reviewed.Version!.Value!.Value.Span)));
    }

    [Theory]
    [InlineData("another value", Reason.HandoverValue, 1UL)]
    [InlineData("no copy", Reason.HandoverMissing, 0UL)]
    [InlineData("too late", Reason.HandoverMissing, 0UL)]
    [InlineData("never set", Reason.HandoverUnset, 1UL)]
    public async Task A_false_copy_is_an_alarm_that_stays_and_the_owner_goes_on(string what, Reason reason, ulong version)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using (JournalClientStateStore first = await fixture.OpenStoreAsync())
        {
            OptiksClient client = fixture.Client(first);
            if (what == "never set")
            {
                Assert.Equal(0UL, (await client.MonitorAsync(s_alice, Cancellation)).Version);
            }
            else
            {
                await OwnerAsync(fixture, first, "one");
            }
            FixtureCopy forged = new(StructureId.Keys, s_alice, 1, "forged"u8.ToArray());
            fixture.Switch(copies => what is "another value" or "never set" ? [forged] : []);
            if (what == "too late")
            {
                // The log publishes the key one epoch late, so the key was absent in the first epoch of the period.
                fixture.Publish(("alice", "one"));
            }
            // The process dies after it has stored the state and before it reports the result.
            await Assert.ThrowsAsync<KilledException>(
                () => fixture.Client(new KilledStore(first, afterWrite: true)).MonitorAsync(s_alice, Cancellation));
        }
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient again = fixture.Client(store);
        MonitorResult found = await again.MonitorAsync(s_alice, Cancellation);
        fixture.Publish(("alice", "late"));
        MonitorResult later = await again.MonitorAsync(s_alice, Cancellation);

        Assert.True(found.IsValid);
        Assert.Contains((1UL, version, (Reason?)reason), found.Alarms.Select(alarm => (alarm.Period, alarm.Version, alarm.Handover)));
        Assert.Empty(found.HandedOver);
        Assert.Equal(found.Alarms.Count + 1, later.Alarms.Count);
        Assert.Equal(found.Alarms, later.Alarms.Take(found.Alarms.Count));
        AlarmReview review = await again.ReviewAlarmsAsync(s_alice, Cancellation);
        Assert.Equal(later.Alarms.Count, review.Alarms.Count);
        Assert.Equal(later.Alarms.Count, again.AcknowledgeAlarms(s_alice, [.. review.Alarms.Select(reviewed => reviewed.Alarm)]));
        Assert.Empty((await again.MonitorAsync(s_alice, Cancellation)).Alarms);
    }

    [Fact]
    public async Task Several_periods_are_handed_over_one_after_the_other()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = await OwnerAsync(fixture, store, "one");
        fixture.Server.IsGone = (_, _) => false;
        fixture.Publish();
        fixture.Switch();
        fixture.Publish(("bob", "hers"), ("alice", "forged"));
        fixture.Publish(("alice", "one"));
        fixture.Switch();
        // Switch again at once, so that period 2 has only one epoch.
        fixture.Switch();
        fixture.Publish();
        MonitorResult found = await client.MonitorAsync(s_alice, Cancellation);

        Assert.Equal([0UL, 1UL, 2UL], found.HandedOver);
        Assert.Equal([(1UL, 2UL), (1UL, 3UL)], found.Alarms.Select(alarm => (alarm.Period, alarm.Version)));
        Assert.Equal((1UL, 3UL), (found.Version, found.Head!.Period));
        Assert.Empty(found.NoGuarantee);
        Assert.Equal(["/v1/monitor?period=0", "/v1/monitor?period=1", "/v1/monitor?period=2"], fixture.Server.EndedQueries);
    }

    [Theory]
    [InlineData("no answer")]
    [InlineData("forbidden")]
    [InlineData("dies")]
    public async Task A_hand_over_that_breaks_off_goes_on_where_it_was(string what)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = await OwnerAsync(fixture, store, "one");
        fixture.Publish(("alice", "forged"));
        fixture.Switch();
        int left = 1;
        fixture.Server.Refuse = path =>
            path != "/v1/monitor" || --left >= 0 || what == "dies" ? null : what == "forbidden" ? (403, "forbidden") : (503, "unavailable");
        if (what == "dies")
        {
            await Assert.ThrowsAsync<KilledException>(
                () => fixture.Client(new KilledStore(store, afterWrite: false)).MonitorAsync(s_alice, Cancellation));
        }
        else
        {
            await Assert.ThrowsAsync<OptiksServerException>(() => client.MonitorAsync(s_alice, Cancellation));
        }
        fixture.Server.Refuse = _ => null;
        MonitorResult found = await client.MonitorAsync(s_alice, Cancellation);
        Assert.Equal([(0UL, 2UL)], found.Alarms.Select(alarm => (alarm.Period, alarm.Version)));
        Assert.Equal([0UL], found.HandedOver);
    }

    [Fact]
    public async Task An_earlier_epoch_is_not_taken_for_the_last_one()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = await OwnerAsync(fixture, store, "one");
        ulong before = fixture.Log.Latest;
        fixture.Publish(("alice", "forged"));
        fixture.Switch(copies => [.. copies.Select(copy => copy with { Version = 1, Value = "one"u8.ToArray() })]);
        byte[] old = [.. (await fixture.Log.HeadAsync(before, 0, fixture.Log.Latest))!,
            .. fixture.Log.Versions(before, [new FixtureQuery(s_alice, 0, 2)], 9)];
        fixture.Server.Mutate = (path, answer) => path == "/v1/monitor" && EpochRecord.ReadPeriod(answer) == 0 ? old : answer;
        MonitorResult refused = await client.MonitorAsync(s_alice, Cancellation);
        Assert.Equal(Reason.RecordEpoch, refused.Reason);
        Assert.Empty(refused.HandedOver);
        Assert.Equal(0UL, store.Current.OwnKeys.Values.Single().At!.Period);
    }

    [Fact]
    public async Task Whoever_owns_nothing_goes_over_and_no_epoch_before_comes_back()
    {
        await using Fixture fixture = await Fixture.StartAsync(replicas: 2);
        fixture.Publish(("alice", "one"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.Equal(1UL, (await client.LookupAsync("alice", Cancellation)).Version);
        ulong last = fixture.Log.Latest;
        fixture.Switch(copies => [.. copies.Select(copy => copy with { Value = "another"u8.ToArray() })]);
        LookupResult over = await client.LookupAsync("alice", Cancellation);
        Assert.Equal((1UL, 1UL, false, "another"),
            (over.Head!.Period, over.Version, over.Unchanged, Encoding.UTF8.GetString(over.Value!.Value.Span)));
        Assert.True((await client.LookupAsync("alice", Cancellation)).Unchanged);
        Assert.Empty(store.Current.PeriodEnds);
        // The answer is about the end of period 0. It is true, but stale: the client has verified a later epoch.
        byte[] old = [.. (await fixture.Log.HeadAsync(last, 0, fixture.Log.Latest))!,
            .. fixture.Log.Lookups(last, [new FixtureQuery("bob"u8.ToArray(), 0, 0)])];
        fixture.Clock.UtcNow = DateTimeOffset.FromUnixTimeMilliseconds((long)EpochRecord.Decode(fixture.Log.Record(last)).TimeMs);
        fixture.Replica(0).Mutate = (path, answer) => path == "/v1/lookup" ? old : answer;
        fixture.Replica(1).Mutate = fixture.Replica(0).Mutate;
        Assert.Equal(Verdict.Stale, (await client.LookupAsync("bob", Cancellation)).Verdict);
    }

    [Fact]
    public async Task Whoever_looked_a_key_up_is_told_that_the_next_period_began_without_it()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"), ("bob", "one"));
        ulong before = fixture.Log.Latest;
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            Assert.False((await fixture.Client(store).LookupAsync("alice", Cancellation)).NotCopied);
            Assert.False((await fixture.Client(store).LookupAsync("bob", Cancellation)).NotCopied);
        }
        fixture.Switch(copies => [.. copies.Where(copy => !copy.Key.SequenceEqual(s_alice))]);
        using JournalClientStateStore later = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(later);
        LookupResult gone = await client.LookupAsync("alice", Cancellation);
        LookupResult again = await client.LookupAsync("alice", Cancellation);
        fixture.Publish(("alice", "another"));
        LookupResult set = await client.LookupAsync("alice", Cancellation);
        LookupResult bob = await client.LookupAsync("bob", Cancellation);
        fixture.Switch();
        LookupResult next = await client.LookupAsync("alice", Cancellation);

        Assert.Equal([(Verdict.Absent, true), (Verdict.Absent, true), (Verdict.Present, true), (Verdict.Present, false),
            (Verdict.Present, false)],
            new[] { gone, again, set, bob, next }.Select(result => (result.Verdict, result.NotCopied)));
        Assert.Equal([0UL, 1UL, 2UL], new[] { EpochRecord.ReadPeriod(fixture.Log.Record(before)), gone.Head!.Period, next.Head!.Period });
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_history_of_the_new_period_does_not_make_it_forgotten(bool isCopied)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.True((await client.LookupAsync("alice", Cancellation)).IsValid);
        fixture.Switch(copies => isCopied ? copies : []);
        fixture.Publish(("alice", "two"));
        HistoryResult history = await client.HistoryAsync(s_alice, Cancellation);
        LookupResult found = await client.LookupAsync("alice", Cancellation);

        Assert.Equal(isCopied ? 2 : 1, history.Versions.Count);
        Assert.Equal((Verdict.Present, !isCopied), (found.Verdict, found.NotCopied));
    }

    [Fact]
    public async Task The_history_of_a_period_that_ended_is_complete_up_to_its_end()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        fixture.Publish(("alice", "two"));
        ulong last = fixture.Log.Latest;
        fixture.Switch();
        fixture.Publish(("alice", "three"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        fixture.Server.PageSize = 1;
        HistoryResult old = await client.HistoryAsync(s_alice, 0, Cancellation);
        HistoryResult now = await client.HistoryAsync(s_alice, 1, Cancellation);

        Assert.Equal((last, 0UL), (old.Head!.Epoch, old.Head.Period));
        Assert.Equal(["one", "two"], old.Versions.Select(version => Encoding.UTF8.GetString(version.Value!.Value.Span)));
        Assert.Equal([(1UL, "two"), (2UL, "three")],
            now.Versions.Select(version => (version.Version, Encoding.UTF8.GetString(version.Value!.Value.Span))));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => client.HistoryAsync(s_alice, 2, Cancellation));
        fixture.Switch();
        OptiksServerException gone = await Assert.ThrowsAsync<OptiksServerException>(() => client.HistoryAsync(s_alice, 0, Cancellation));
        Assert.Equal(("period-gone", HttpStatusCode.Gone), (gone.Problem, gone.Status));
    }

    [Fact]
    public async Task An_update_before_a_switch_is_confirmed_in_its_period()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        UpdateResult pending = await client.UpdateAsync(s_alice, "one"u8.ToArray(), cancellationToken: Cancellation);
        UpdateResult other = await client.UpdateAsync("bob"u8.ToArray(), "two"u8.ToArray(), cancellationToken: Cancellation);
        fixture.Switch();
        UpdateResult done = await client.WaitAsync(pending, TimeSpan.FromSeconds(5), Cancellation);
        Assert.Equal((true, 1UL), (done.Confirmed, done.Epoch));
        fixture.Switch();
        // The log no longer serves the period of this update, so nobody can find out the outcome of the update.
        Assert.Equal(UpdateConfirmation.Unproven, (await client.WaitAsync(other, TimeSpan.FromSeconds(5), Cancellation)).Confirmation);
    }

    [Fact]
    public async Task What_was_set_and_never_looked_at_before_the_switch_is_looked_at_from_there()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.True((await client.LookupAsync("bob", Cancellation)).IsValid);
        await client.UpdateAsync(s_alice, "one"u8.ToArray(), cancellationToken: Cancellation);
        fixture.Publish(("alice", "forged"));
        fixture.Switch(copies => [.. copies.Select(copy => copy with { Value = "one"u8.ToArray() })]);
        MonitorResult found = await client.MonitorAsync(s_alice, Cancellation);
        Assert.Equal([(0UL, 2UL), (1UL, 1UL)], found.Alarms.Select(alarm => (alarm.Period, alarm.Version)));
    }

    [Fact]
    public async Task A_log_that_switches_too_early_is_not_followed()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = await OwnerAsync(fixture, store, "one");
        ulong epoch = fixture.Log.Latest + 1;
        fixture.Log.PublishRecord(honest => honest with
        {
            Period = 1,
            PeriodFirstEpoch = epoch,
            Structures =
                [.. honest.Structures.Select(
                    (state, i) => i is 1 or 2 ? state with { VrfPublicKey = honest.Structures[i is 1 ? 0 : 3].VrfPublicKey } : state)],
        });
        fixture.Clock.UtcNow = fixture.Log.Now;
        foreach (Func<Task<Reason>> ask in (Func<Task<Reason>>[])[async () => (await client.LookupAsync("alice", Cancellation)).Reason,
            async () => (await client.MonitorAsync(s_alice, Cancellation)).Reason])
        {
            Assert.Equal(Reason.RecordPeriod, await ask());
        }
        Assert.Equal(0UL, store.Current.Head!.Period);
    }

    [Fact]
    public async Task Answers_about_periods_that_lie_are_refused_and_nothing_is_kept_of_them()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = await OwnerAsync(fixture, store, "one");
        fixture.Publish();
        fixture.Switch();
        fixture.Publish();
        var refused = new List<Reason>();
        HeadState kept = store.Current.Head!;
        foreach (Func<byte[], byte[]> change in (Func<byte[], byte[]>[])
        [
            answer => answer[..^1],
            answer => Bounds(answer, bounds => bounds[1..]),
            answer => Bounds(answer, bounds => bounds[..^1]),
            answer => Bounds(answer, bounds => [bounds[0], bounds[2]]),
            answer => Bounds(answer, bounds => [.. bounds, bounds[2]]),
            answer => Bounds(answer, _ => []),
            answer => Bounds(answer, bounds => [.. Enumerable.Repeat(bounds[0], 129)]),
            answer =>
                Bounds(answer, bounds => [bounds[0], [.. bounds[1][..360], (byte)(bounds[1][360] ^ 1), .. bounds[1][361..]], bounds[2]]),
        ])
        {
            fixture.Server.Mutate = (path, answer) => path == "/v1/periods" ? change(answer) : answer;
            LookupResult result = await client.LookupAsync("alice", Cancellation);
            Assert.False(result.IsValid);
            refused.Add(result.Reason);
            Assert.Same(kept, store.Current.Head);
            Assert.Empty(store.Current.PeriodEnds);
        }
        Assert.Equal(
            [
                Reason.MalformedTruncated, Reason.PeriodBounds, Reason.PeriodBounds, Reason.PeriodBounds, Reason.PeriodBounds,
                Reason.PeriodBounds, Reason.PeriodBounds, Reason.InclusionProof,
            ],
            refused);
        fixture.Server.Mutate = (_, answer) => answer;
        Assert.True((await client.LookupAsync("alice", Cancellation)).IsValid);
    }

    [Fact]
    public async Task A_claimed_period_that_the_log_does_not_have_leads_nowhere()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = await OwnerAsync(fixture, store, "one");
        fixture.Publish();
        fixture.Server.Mutate = (path, answer) => path == "/v1/lookup" ? Changed(answer, 34 + 15, 7) : answer;
        // The log signed no checkpoint with this changed record, so the client does not even ask about periods.
        LookupResult result = await client.LookupAsync("alice", Cancellation);
        Assert.Equal(Reason.RecordPeriod, result.Reason);
        Assert.DoesNotContain("GET /v1/periods", fixture.Server.Requests);
    }

    [Fact]
    public async Task A_switch_between_two_pages_begins_the_look_again()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = await OwnerAsync(fixture, store, "one");
        fixture.PublishItems(FixtureItem.Device("alice", "forged 1"));
        fixture.PublishItems(FixtureItem.Device("alice", "forged 2"));
        fixture.Server.PageSize = 1;
        int pages = 0;
        fixture.Server.Mutate = (path, answer) =>
        {
            if (path is "/v1/monitor" or "/v1/history" && ++pages == 1)
            {
                fixture.Log.Switch();
            }
            else
            {
                // Move the clock only after the client has verified the first page, which would be too old by the new clock.
                fixture.Clock.UtcNow = fixture.Log.Now;
            }
            return answer;
        };
        MonitorResult found = await client.MonitorAsync(s_alice, Cancellation);
        Assert.Equal([(0UL, 2UL), (0UL, 3UL)], found.Alarms.Select(alarm => (alarm.Period, alarm.Version)));
        Assert.Equal([0UL], found.HandedOver);
        Assert.Equal([(0UL, 2UL), (0UL, 3UL)], found.NewVersions.Select(version => (version.Period, version.Version)));
        pages = 0;
        fixture.PublishItems(FixtureItem.Device("alice", "two"));
        HistoryResult history = await client.HistoryAsync(s_alice, Cancellation);
        Assert.Equal([(2UL, 1UL)], history.Versions.Select(version => (version.Period, version.Version)));
        pages = 0;
        Assert.Equal([(2UL, 1UL)],
            (await client.HistoryAsync(s_alice, 2, Cancellation)).Versions.Select(version => (version.Period, version.Version)));
    }

    [Fact]
    public async Task Ends_that_do_not_lead_to_the_head_are_no_state()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        byte[] first;
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            OptiksClient client = await OwnerAsync(fixture, store, "one");
            fixture.Publish();
            first = fixture.Log.Record(fixture.Log.Latest);
            fixture.Switch();
            fixture.Publish();
            Assert.True((await client.LookupAsync("bob", Cancellation)).IsValid);
            Assert.Equal([first], store.Current.PeriodEnds);
        }
        string file = fixture.Folder.In("client/state.journal");
        byte[] whole = File.ReadAllBytes(file);
        foreach (byte[] other in (byte[][])[fixture.Log.Record(1), fixture.Log.Record(fixture.Log.Latest), new byte[EpochRecord.Length]])
        {
            File.WriteAllBytes(file, whole);
            StateEditor.Edit(fixture.Folder.In("client"), state => state with { PeriodEnds = [other] });
            Assert.Contains("period_ends", (await Assert.ThrowsAsync<ClientStateException>(() => fixture.OpenStoreAsync())).Message,
                StringComparison.Ordinal);
        }
        File.WriteAllBytes(file, whole);
        using JournalClientStateStore again = await fixture.OpenStoreAsync();
        Assert.Equal([0UL], (await fixture.Client(again).MonitorAsync(s_alice, Cancellation)).HandedOver);
    }

    internal static async Task<OptiksClient> OwnerAsync(Fixture fixture, JournalClientStateStore store, string value)
    {
        OptiksClient client = fixture.Client(store);
        await SetAsync(fixture, client, value);
        Assert.Empty((await client.MonitorAsync(s_alice, Cancellation)).Alarms);
        return client;
    }

    private static async Task SetAsync(Fixture fixture, OptiksClient client, string value)
    {
        await client.UpdateAsync(s_alice, Encoding.UTF8.GetBytes(value), cancellationToken: Cancellation);
        fixture.Clock.UtcNow = fixture.Log.Now;
    }

    private static byte[] Changed(byte[] answer, int at, byte value)
    {
        byte[] changed = [.. answer];
        changed[at] = value;
        return changed;
    }

    // Changes the list of period bounds in an answer. Each element is a bound with its inclusion proof.
    private static byte[] Bounds(byte[] answer, Func<byte[][], byte[][]> change)
    {
        ReadOnlyMemory<byte> head = AnswerHead.SliceHead(answer);
        var parts = new List<byte[]>();
        for (int at = head.Length + 3; at < answer.Length;)
        {
            int length = EpochRecord.Length + 2 + BinaryPrimitives.ReadUInt16BigEndian(answer.AsSpan(at + EpochRecord.Length));
            parts.Add(answer[at..(at + length)]);
            at += length;
        }
        byte[] bounds = [.. change([.. parts]).SelectMany(part => part)];
        return [.. head.Span, (byte)(bounds.Length >> 16), (byte)(bounds.Length >> 8), (byte)bounds.Length, .. bounds];
    }
}
