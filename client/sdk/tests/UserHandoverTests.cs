using System.Text;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>Tests a user's hand-over from one period to the next: its device list, and the key of each device on it.</summary>
public sealed class UserHandoverTests
{
    private static readonly byte[] s_alice = "alice"u8.ToArray();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task An_honest_switch_alarms_nobody()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        ReadOnlyMemory<byte> user = await UserAttackTests.CreateAsync(fixture, client, "phone");
        await client.ChangeUserAsync(
            s_alice, [UserChange.AddDevice("laptop"u8.ToArray(), "1"u8.ToArray())], cancellationToken: Cancellation);
        fixture.PublishItems(FixtureItem.List(user, "phone", "laptop"), FixtureItem.Device("laptop", "1"));
        fixture.Switch();
        UserMonitorResult over = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);
        await client.ChangeUserAsync(
            s_alice, [UserChange.RemoveDevice("phone"u8.ToArray()), UserChange.SetDevice("laptop"u8.ToArray(), "2"u8.ToArray())],
            cancellationToken: Cancellation);
        fixture.PublishItems(FixtureItem.List(user, "laptop"), FixtureItem.Device("laptop", "2"));
        UserMonitorResult later = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);

        Assert.Equal((Reason.Valid, 0, 0), (over.Reason, over.Alarms.Count, over.Pending));
        Assert.Equal([0UL], over.HandedOver);
        Assert.Equal([(0UL, 2UL)], over.NewLists.Select(list => (list.Period, list.Version)));
        Assert.Equal(["laptop 0/1"], Shown(over));
        Assert.Equal((0, 0, 2UL), (later.Alarms.Count, later.Pending, later.ListVersion));
        Assert.Equal(["laptop 1/2"], Shown(later));
        Assert.Equal(["/v1/users/monitor?period=0"], fixture.Server.EndedQueries);
        Assert.True((await client.LookupUserAsync("alice", Cancellation)).IsValid);
        Assert.Empty(store.Current.PeriodEnds);
    }

    [Theory]
    [InlineData("nothing", Reason.Valid)]
    [InlineData("its list", Reason.HandoverMissing)]
    [InlineData("a key", Reason.HandoverMissing)]
    [InlineData("a key of another", Reason.Valid)]
    public async Task Who_looked_a_user_up_takes_no_period_that_began_without(string what, Reason reason)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        byte[] user = "id"u8.ToArray();
        fixture.PublishItems(FixtureItem.Name("alice", user), FixtureItem.List(user, "phone"), FixtureItem.Device("phone", "1"),
            FixtureItem.Device("other", "1"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.True((await client.LookupUserAsync("alice", Cancellation)).IsValid);
        fixture.Switch(copies => [.. copies.Where(copy => what switch
        {
            "its list" => copy.Structure != StructureId.Devices,
            "a key" => !copy.Key.SequenceEqual("phone"u8.ToArray()),
            "a key of another" => !copy.Key.SequenceEqual("other"u8.ToArray()),
            _ => true,
        })]);
        if (what == "its list")
        {
            fixture.PublishItems(FixtureItem.List(user, "phone"));
        }
        UserLookupResult found = await client.LookupUserAsync("alice", Cancellation);
        UserLookupResult again = await client.LookupUserAsync("alice", Cancellation);
        using JournalClientStateStore newcomer = await fixture.OpenStoreAsync("newcomer");

        Assert.Equal((reason, reason), (found.Reason, again.Reason));
        Assert.True((await fixture.Client(newcomer).LookupUserAsync("alice", Cancellation)).IsValid);
    }

    [Theory]
    [InlineData("a device came and went")]
    [InlineData("a value came and went")]
    [InlineData("a false list")]
    [InlineData("a false value")]
    [InlineData("no list")]
    [InlineData("no value")]
    [InlineData("a value from before the device")]
    public async Task What_was_not_done_here_is_an_alarm_on_either_side(string what)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        ReadOnlyMemory<byte> user = await UserAttackTests.CreateAsync(fixture, client, "phone");
        if (what == "a device came and went")
        {
            fixture.PublishItems(FixtureItem.List(user, "phone", "ghost"), FixtureItem.Device("ghost", "its key"));
            fixture.PublishItems(FixtureItem.List(user, "phone"));
        }
        if (what == "a value came and went")
        {
            fixture.PublishItems(FixtureItem.Device("phone", "forged"));
            fixture.PublishItems(FixtureItem.Device("phone", "1"));
        }
        fixture.Switch(copies => what switch
        {
            "a false list" =>
                [.. copies.Select(copy =>
                    copy.Structure == StructureId.Devices ? copy with { Value = FixtureItem.List(user, "phone", "ghost").Value } : copy)],
            "a false value" =>
                [.. copies.Select(copy => copy.Structure == StructureId.Keys ? copy with { Value = "forged"u8.ToArray() } : copy)],
            "no list" => [.. copies.Where(copy => copy.Structure != StructureId.Devices)],
            "no value" => [.. copies.Where(copy => copy.Structure != StructureId.Keys)],
            _ => copies,
        });
        if (what == "no list")
        {
            fixture.PublishItems(FixtureItem.List(user, "phone"));
        }
        if (what == "a value from before the device")
        {
            fixture.PublishItems(FixtureItem.List(user, "phone", "ghost"), FixtureItem.Device("ghost", "1"));
        }
        UserMonitorResult found = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);
        UserMonitorResult again = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);

        Assert.True(found.IsValid, found.Reason.ToString());
        (UserAlarmKind Kind, ulong Period, ulong Version, Reason? Handover)[] expected = what switch
        {
            "a device came and went" =>
                [(UserAlarmKind.DeviceList, 0, 2, null), (UserAlarmKind.DeviceList, 0, 3, null), (UserAlarmKind.DeviceValue, 0, 1, null)],
            "a value came and went" => [(UserAlarmKind.DeviceValue, 0, 2, null), (UserAlarmKind.DeviceValue, 0, 3, null)],
            "a false list" => [(UserAlarmKind.DeviceList, 1, 1, Reason.HandoverValue)],
            "a false value" => [(UserAlarmKind.DeviceValue, 1, 1, Reason.HandoverValue)],
            "no list" => [(UserAlarmKind.DeviceList, 1, 0, Reason.HandoverMissing), (UserAlarmKind.DeviceList, 1, 1, null)],
            "no value" => [(UserAlarmKind.DeviceValue, 1, 0, Reason.HandoverMissing)],
            _ => [(UserAlarmKind.DeviceList, 1, 2, null), (UserAlarmKind.DeviceValue, 1, 1, null)],
        };
        Assert.Equal(expected, found.Alarms.Select(alarm => (alarm.Kind, alarm.Period, alarm.Version, alarm.Handover)));
        Assert.Equal(found.Alarms, again.Alarms);
        Assert.False(again.HasNews);
        Assert.Equal(!expected.Any(alarm => alarm.Handover is not null), found.HandedOver.Count == 1);
        using (JournalClientStateStore copy = await ReopenAsync(fixture, store))
        {
            UserAlarmReview review = await fixture.Client(copy).ReviewUserAlarmsAsync(s_alice, Cancellation);
            Assert.Equal(found.Alarms.Count, review.Alarms.Count);
            Assert.Equal(found.Alarms.Count,
                fixture.Client(copy).AcknowledgeUserAlarms(s_alice, [.. review.Alarms.Select(reviewed => reviewed.Alarm)]));
        }
    }

    [Fact]
    public async Task A_period_that_is_gone_is_told_for_the_list_and_for_its_devices()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        ReadOnlyMemory<byte> user = await UserAttackTests.CreateAsync(fixture, client, "phone");
        ulong seen = fixture.Log.Latest;
        fixture.PublishItems(FixtureItem.Device("phone", "forged"));
        ulong last = fixture.Log.Latest;
        fixture.Switch();
        fixture.Switch();
        UserMonitorResult found = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);

        Assert.Equal([new Missed(0, seen + 1, last)], found.NoGuarantee);
        Assert.Equal([1UL], found.HandedOver);
        // Monitoring reports the false value to the owner as the copy with which period 1 began.
        Assert.Equal([(UserAlarmKind.DeviceValue, 1UL, 1UL)], found.Alarms.Select(alarm => (alarm.Kind, alarm.Period, alarm.Version)));
        Assert.Equal([new Missed(0, seen + 1, last)], (await client.MonitorAsync("phone"u8.ToArray(), Cancellation)).NoGuarantee);
        Assert.Equal(1, client.AcceptNoGuaranteeOfUser(s_alice, found.NoGuarantee));
        Assert.True(Assert.Single((await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation)).NoGuarantee).IsAccepted);
        Assert.Equal(1UL, (await client.LookupUserAsync("alice", Cancellation)).ListVersion);
        Assert.Equal(16, user.Length);
    }

    [Theory]
    [InlineData(true, false)]
    [InlineData(false, false)]
    [InlineData(false, true)]
    public async Task Of_a_user_who_left_the_last_versions_are_seen_and_no_copy_is_asked_for(bool beforeSwitch, bool isForged)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        ReadOnlyMemory<byte> user = await UserAttackTests.CreateAsync(fixture, client, "phone");
        if (isForged)
        {
            fixture.PublishItems(FixtureItem.Device("phone", "forged"));
        }
        if (beforeSwitch)
        {
            fixture.PublishItems(FixtureItem.Left(user));
        }
        fixture.Switch();
        if (!beforeSwitch)
        {
            fixture.PublishItems(FixtureItem.Left(user));
            // The client knows that the user has left, but the owner must still verify the end of period 0.
            Assert.True((await client.LookupUserAsync("alice", Cancellation)).HasLeft);
        }
        UserMonitorResult found = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);
        UserMonitorResult again = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);

        Assert.Equal((Reason.Valid, true), (found.Reason, found.HasLeft));
        UserAlarmKind[] expected = isForged ? [UserAlarmKind.Left, UserAlarmKind.DeviceValue] : [UserAlarmKind.Left];
        Assert.Equal(expected, found.Alarms.Select(alarm => alarm.Kind));
        Assert.Equal(found.Alarms, again.Alarms);
        MonitorResult key = await client.MonitorAsync("phone"u8.ToArray(), Cancellation);
        Assert.Equal((Reason.Valid, isForged ? 1 : 0), (key.Reason, key.Alarms.Count));
    }

    [Fact]
    public async Task What_was_erased_with_a_user_who_left_is_told_like_a_period_that_is_gone()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        ReadOnlyMemory<byte> user = await UserAttackTests.CreateAsync(fixture, client, "phone");
        fixture.Publish();
        ulong last = fixture.Log.Latest;
        fixture.Switch();
        fixture.Server.HasErasedEnds = true;
        // The client does not believe this report, because the log cannot erase the latest versions of a user who has not left.
        OptiksServerException refused =
            await Assert.ThrowsAsync<OptiksServerException>(() => client.MonitorUserAsync(s_alice, cancellationToken: Cancellation));
        Assert.Equal("erased", refused.Problem);
        fixture.PublishItems(FixtureItem.Left(user));
        Assert.True((await client.LookupUserAsync("alice", Cancellation)).HasLeft);
        UserMonitorResult found = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);
        Assert.True(found.HasLeft);
        Assert.Equal([new Missed(0, last, last)], found.NoGuarantee);
    }

    [Fact]
    public async Task A_switch_between_two_pages_begins_the_look_again()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        ReadOnlyMemory<byte> user = await UserAttackTests.CreateAsync(fixture, client, "phone");
        for (int i = 0; i < 4; i++)
        {
            fixture.PublishItems(FixtureItem.List(user, "phone", $"ghost {i}"), FixtureItem.Device($"ghost {i}", "its key"));
        }
        fixture.Server.UserPage = new Native.UserMonitorPage(2, 4, 1024, 1 << 22);
        int pages = 0;
        fixture.Server.Mutate = (path, answer) =>
        {
            if (path == "/v1/users/monitor" && ++pages == 1)
            {
                fixture.Log.Switch();
            }
            else
            {
                // Move the clock only after the client has verified the first page, because that page would be too old by the new clock.
                fixture.Clock.UtcNow = fixture.Log.Now;
            }
            return answer;
        };
        UserMonitorResult found = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);
        Assert.Equal([0UL], found.HandedOver);
        Assert.Equal(
            (4, 4),
            (found.Alarms.Count(alarm => alarm.Kind == UserAlarmKind.DeviceList),
                found.Alarms.Count(alarm => alarm.Kind == UserAlarmKind.DeviceValue)));
        for (int i = 0; i < 3; i++)
        {
            fixture.PublishItems(FixtureItem.List(user, "phone", $"spirit {i}"));
        }
        pages = 0;
        UserHistoryResult history = await client.UserHistoryAsync(s_alice, cancellationToken: Cancellation);
        Assert.True(history.IsValid, history.Reason.ToString());
        Assert.Equal((1UL, 2UL), (found.Head!.Period, history.Head!.Period));
    }

    [Fact]
    public async Task A_look_that_another_look_overtook_does_not_go_back_to_the_ended_period()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        ReadOnlyMemory<byte> user = await UserAttackTests.CreateAsync(fixture, client, "phone");
        fixture.Publish(("other", "1"));
        fixture.Switch();
        await client.ChangeUserAsync(
            s_alice, [UserChange.AddDevice("laptop"u8.ToArray(), "1"u8.ToArray())], cancellationToken: Cancellation);
        fixture.PublishItems(FixtureItem.List(user, "phone", "laptop"), FixtureItem.Device("laptop", "1"));
        UserMonitorResult? first = null;
        fixture.Server.Mutate = (path, answer) =>
        {
            if (path == "/v1/users/monitor")
            {
                // While this answer about the ended period is on its way, another call makes the whole look.
                fixture.Server.Mutate = (_, same) => same;
                first = Task.Run(() => client.MonitorUserAsync(s_alice, cancellationToken: Cancellation)).GetAwaiter().GetResult();
            }
            return answer;
        };
        UserMonitorResult second = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);

        Assert.StartsWith("/v1/users/monitor?period=0", fixture.Server.EndedQueries.First(), StringComparison.Ordinal);
        Assert.Equal((Reason.Valid, 0, 0), (first!.Reason, first.Alarms.Count, first.Pending));
        Assert.Equal((Reason.Valid, 0, 0), (second.Reason, second.Alarms.Count, second.Pending));
        Assert.Equal(1UL, store.Current.OwnLists.Values.Single().At!.Period);
    }

    [Fact]
    public async Task A_key_that_was_owned_by_itself_and_comes_onto_the_list_keeps_its_own_hand_over()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        await client.UpdateAsync("plain"u8.ToArray(), "mine"u8.ToArray(), cancellationToken: Cancellation);
        ReadOnlyMemory<byte> user = await UserAttackTests.CreateAsync(fixture, client, "phone");
        Assert.Empty((await client.MonitorAsync("plain"u8.ToArray(), Cancellation)).Alarms);
        fixture.Publish(("plain", "forged"));
        fixture.Publish(("plain", "mine"));
        fixture.Switch();
        await client.ChangeUserAsync(
            s_alice, [UserChange.AddDevice("plain"u8.ToArray(), "again"u8.ToArray())], cancellationToken: Cancellation);
        fixture.PublishItems(FixtureItem.List(user, "phone", "plain"), FixtureItem.Device("plain", "again"));
        UserMonitorResult found = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);
        MonitorResult plain = await client.MonitorAsync("plain"u8.ToArray(), Cancellation);

        Assert.Empty(found.Alarms);
        Assert.Equal([0UL], plain.HandedOver);
        Assert.Equal([(0UL, 2UL), (0UL, 3UL)], plain.Alarms.Select(alarm => (alarm.Period, alarm.Version)));
        Assert.Equal(0, plain.Pending);
    }

    [Fact]
    public async Task Pages_on_either_side_of_a_switch_make_one_hand_over()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        ReadOnlyMemory<byte> user = await UserAttackTests.CreateAsync(fixture, client, "phone");
        for (int i = 0; i < 5; i++)
        {
            fixture.PublishItems(FixtureItem.List(user, "phone", $"ghost {i}"), FixtureItem.Device($"ghost {i}", "its key"),
                FixtureItem.Device("phone", $"forged {i}"));
        }
        fixture.Switch();
        for (int i = 0; i < 5; i++)
        {
            fixture.PublishItems(FixtureItem.List(user, "phone", $"spirit {i}"), FixtureItem.Device($"spirit {i}", "its key"),
                FixtureItem.Device("phone", $"again {i}"));
        }
        fixture.Server.UserPage = new Native.UserMonitorPage(2, 4, 1024, 1 << 22);
        int pages = 0;
        UserMonitorResult found =
            await client.MonitorUserAsync(s_alice, new Counter(count => pages = Math.Max(pages, count)), Cancellation);

        Assert.True(found.IsValid, found.Reason.ToString());
        Assert.True(pages > 1);
        Assert.Equal([0UL], found.HandedOver);
        Assert.Equal(10, found.Alarms.Count(alarm => alarm.Kind == UserAlarmKind.DeviceList));
        Assert.Equal(20, found.Alarms.Count(alarm => alarm.Kind == UserAlarmKind.DeviceValue));
        Assert.Equal(6UL, found.ListVersion);
    }

    [Fact]
    public async Task Two_user_ids_for_a_name_are_never_both_believed()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        ReadOnlyMemory<byte> user = await UserAttackTests.CreateAsync(fixture, client, "phone");
        using FixtureLog second = fixture.Log.Fork(1);
        second.Publish([FixtureItem.Name("alice", "another"u8.ToArray()), FixtureItem.List("another"u8.ToArray(), "ghost"),
            FixtureItem.Device("ghost", "its key")]);
        second.Publish();
        fixture.Switch();
        using JournalClientStateStore strangers = await fixture.OpenStoreAsync("stranger");
        OptiksClient stranger = fixture.Client(strangers);
        // A new client that first gets the second log's view believes it, and from then on refuses the view of the first log.
        fixture.Server.Log = second;
        fixture.Clock.UtcNow = second.Now;
        Assert.Equal("another"u8.ToArray(), (await stranger.LookupUserAsync("alice", Cancellation)).User!.Value.ToArray());
        // The owner's client knows the first log's view, so it refuses the second log's view.
        Assert.Equal(Verdict.Fork, (await client.LookupUserAsync("alice", Cancellation)).Verdict);
        fixture.Server.Log = fixture.Log;
        fixture.Clock.UtcNow = fixture.Log.Now;
        UserLookupResult honest = await stranger.LookupUserAsync("alice", Cancellation);
        Assert.Equal(Verdict.Fork, honest.Verdict);
        Assert.NotNull(honest.EvidencePath);
        Assert.Equal(16, user.Length);
    }

    private static async Task<JournalClientStateStore> ReopenAsync(Fixture fixture, JournalClientStateStore store)
    {
        store.Dispose();
        return await fixture.OpenStoreAsync();
    }

    private static IEnumerable<string> Shown(UserMonitorResult result) => result.NewVersions.SelectMany(device =>
        device.Versions.Select(version => $"{Encoding.UTF8.GetString(device.Device.Span)} {version.Period}/{version.Version}"));

    private sealed class Counter(Action<int> report) : IProgress<int>
    {
        public void Report(int value) => report(value);
    }
}
