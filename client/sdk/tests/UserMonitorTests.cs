using System.Text;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>Tests an owner's monitoring of its own user: pages, long lists, erased values, and servers that lie.</summary>
public sealed class UserMonitorTests
{
    private static readonly byte[] s_alice = "alice"u8.ToArray();
    private static readonly byte[] s_user = "id of alice"u8.ToArray();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task What_the_owner_did_raises_no_alarm_and_each_look_asks_for_what_is_new()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        ReadOnlyMemory<byte> user = await UserAttackTests.CreateAsync(fixture, client, "phone");
        await client.ChangeUserAsync(
            s_alice, [UserChange.AddDevice("laptop"u8.ToArray(), "1"u8.ToArray()),
                UserChange.SetDevice("phone"u8.ToArray(), "2"u8.ToArray())], cancellationToken: Cancellation);
        fixture.PublishItems(FixtureItem.List(user, "phone", "laptop"), FixtureItem.Device("laptop", "1"),
            FixtureItem.Device("phone", "2"));
        UserMonitorResult added = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);
        await client.ChangeUserAsync(s_alice, [UserChange.RemoveDevice("phone"u8.ToArray())], cancellationToken: Cancellation);
        fixture.PublishItems(FixtureItem.List(user, "laptop"));
        UserMonitorResult removed = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);
        UserMonitorResult again = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);

        Assert.Equal((0, 0, 2UL, 1), (added.Alarms.Count, added.Pending, added.ListVersion, added.NewLists.Count));
        Assert.Equal(["laptop 1", "phone 2"], Shown(added.NewVersions));
        Assert.Equal((0, 0, 3UL, 1), (removed.Alarms.Count, removed.Pending, removed.ListVersion, removed.NewLists.Count));
        Assert.Equal((0, 0), (again.NewLists.Count, again.NewVersions.Sum(device => device.Versions.Count)));
        Assert.Equal(["laptop"], again.Devices.Select(Text));
        UserMonitorQuery last = fixture.Server.UserQueries.Last();
        Assert.Equal((4UL, 0UL, 0), (last.From, last.Period, last.Usernames.Count));
        // The question asks for the versions from the latest known version of the key on, and not only for newer versions.
        Assert.Equal([("laptop", 1UL)], last.Keys.Select(key => (Text(key.Device), key.Version)));
        UserHistoryResult history = await client.UserHistoryAsync(s_alice, cancellationToken: Cancellation);
        Assert.Equal(["phone", "laptop phone", "laptop"], history.Lists.Select(list => string.Join(' ', list.Devices!.Select(Text))));
        Assert.Equal(["laptop 1", "phone 1", "phone 2"], Shown(history.Devices));
    }

    [Fact]
    public async Task Where_an_own_name_leads_is_shown_again_at_each_look()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        await UserAttackTests.CreateAsync(fixture, client, "phone");
        var names = new List<bool>();
        fixture.Server.Mutate = (path, answer) =>
        {
            names.AddRange(path == "/v1/users/lookup" ? UserLookupAnswer.Decode(answer).Users.Select(user => user.Name is not null) : []);
            return answer;
        };
        Assert.True((await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation)).IsValid);
        // If the server requires a credential for lookups, the lookups that belong to monitoring carry the owner's credential.
        fixture.Server.LookupsAreClosed = true;
        Assert.True((await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation)).IsValid);

        Assert.Equal([true, true], names);
        fixture.Server.Mutate = (path, answer) => path == "/v1/users/lookup" ? answer[..^1] : answer;
        Assert.Equal(Reason.MalformedTruncated, (await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation)).Reason);
        // As a control, check that other lookups carry no credential.
        Assert.Equal("unauthorized",
            (await Assert.ThrowsAsync<OptiksServerException>(
                () => client.LookupUserAsync(s_alice, cancellationToken: Cancellation))).Problem);
    }

    [Fact]
    public async Task Everything_is_on_disk_before_it_is_reported_and_read_back()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        ReadOnlyMemory<byte> user;
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            user = await UserAttackTests.CreateAsync(fixture, fixture.Client(store), "phone");
            fixture.PublishItems(FixtureItem.List(user, "ghost", "phone"), FixtureItem.Device("ghost", "its key"));
            await Assert.ThrowsAsync<KilledException>(
                () => fixture.Client(new KilledStore(store, afterWrite: true, writes: 2))
                    .MonitorUserAsync(s_alice, cancellationToken: Cancellation));
        }
        using (JournalClientStateStore reopened = await fixture.OpenStoreAsync())
        {
            OptiksClient client = fixture.Client(reopened);
            Assert.Equal(2, client.UserAlarms(s_alice).Count);
            UserMonitorResult later = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);
            Assert.Equal((2, 0), (later.Alarms.Count, later.NewLists.Count));
            UserAlarmReview review = await client.ReviewUserAlarmsAsync(s_alice, Cancellation);
            Assert.Equal(["ghost,phone", "its key"], review.Alarms.Select(reviewed =>
                reviewed.Alarm.Kind == UserAlarmKind.DeviceList
                    ? string.Join(',', DeviceList.Decode(reviewed.Value!.Value).Select(Text))
                    : Text(reviewed.Value!.Value)));
            Assert.Equal(2, client.AcknowledgeUserAlarms(s_alice, [.. review.Alarms.Select(reviewed => reviewed.Alarm)]));
        }
        using JournalClientStateStore last = await fixture.OpenStoreAsync();
        Assert.Empty((await fixture.Client(last).MonitorUserAsync(s_alice, cancellationToken: Cancellation)).Alarms);
        Assert.Equal([s_alice], fixture.Client(last).OwnedUsers.Select(name => name.ToArray()));
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 3)]
    public async Task Pages_are_followed_to_the_end_and_shown_only_then(int members, int all)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        Publish(fixture);
        fixture.Server.UserPage = new(members, all, 1024, 1 << 20);
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        var pages = new List<int>();
        // The client refuses the third page, so it keeps nothing of the first two pages except their head.
        int asked = 0;
        fixture.Server.Mutate = (path, answer) => path == "/v1/users/monitor" && ++asked == 3 ? answer[..^1] : answer;
        Assert.Equal(Verdict.Malformed, (await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation)).Verdict);
        Assert.Equal((0, 0), (store.Current.OwnPersons.Count, store.Current.OwnKeys.Count));

        UserMonitorResult result = await client.MonitorUserAsync(s_alice, new Told(pages), Cancellation);
        fixture.Server.UserPage = new(256, 2048, 1024, 1 << 22);
        var other = new MemoryClientStateStore(FixtureLog.Anchor, fixture.Folder.In("evidence"));
        UserMonitorResult whole = await fixture.Client(other).MonitorUserAsync(s_alice, cancellationToken: Cancellation);

        Assert.True(pages.Count >= 2, $"{pages.Count} pages");
        Assert.Equal(Enumerable.Range(1, pages.Count), pages);
        Assert.Equal(Shown(whole.NewVersions), Shown(result.NewVersions));
        Assert.Equal(whole.NewLists.Select(list => list.Version), result.NewLists.Select(list => list.Version));
        Assert.Equal(whole.Alarms, result.Alarms);
        Assert.Equal(other.Current.SeenLists.Single().Value, store.Current.SeenLists.Single().Value);
    }

    [Fact]
    public async Task A_device_that_comes_while_pages_are_read_is_shown_and_one_who_leaves_meanwhile_has_left()
    {
        foreach (bool leaves in (bool[])[false, true])
        {
            await using Fixture fixture = await Fixture.StartAsync();
            Publish(fixture);
            fixture.Server.UserPage = new(1, 1, 1024, 1 << 20);
            using JournalClientStateStore store = await fixture.OpenStoreAsync();
            bool isFirst = true;
            fixture.Server.Mutate = (path, answer) =>
            {
                if (path == "/v1/users/monitor" && isFirst)
                {
                    isFirst = false;
                    fixture.PublishItems(leaves
                        ? [FixtureItem.Left(s_user)]
                        : [FixtureItem.List(s_user, "ghost", "laptop", "phone"), FixtureItem.Device("ghost", "its key")]);
                }
                return answer;
            };

            UserMonitorResult result = await fixture.Client(store).MonitorUserAsync(s_alice, cancellationToken: Cancellation);

            Assert.True(result.IsValid);
            Assert.Equal((leaves, fixture.Log.Latest), (result.HasLeft, result.Head!.Epoch));
            Assert.Equal(!leaves, Shown(result.NewVersions).Contains("ghost its key"));
            Assert.Contains(result.Alarms, alarm => alarm.Kind == (leaves ? UserAlarmKind.Left : UserAlarmKind.DeviceList));
        }
    }

    [Theory]
    [InlineData(3, 1 << 20, 60, 3)]
    [InlineData(1000, 1, 60, 1)]
    [InlineData(1000, 1 << 20, -1, 1)]
    public async Task A_server_that_never_ends_is_given_up(int pages, long octets, int seconds, int asked)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        Publish(fixture);
        fixture.Server.UserPage = new(1, 1, 1024, 1 << 20);
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store,
            change: options => options with { MaxPages = pages, MaxPagesLength = octets, MaxPagesTime = TimeSpan.FromSeconds(seconds) });

        OptiksServerException endless =
            await Assert.ThrowsAsync<OptiksServerException>(() => client.MonitorUserAsync(s_alice, cancellationToken: Cancellation));

        Assert.Equal(ServerFailure.Unusable, endless.Failure);
        Assert.Equal(asked, fixture.Server.UserQueries.Count);
        Assert.Empty(store.Current.OwnPersons);
    }

    [Fact]
    public async Task A_list_that_is_longer_than_a_query_names_ids_is_monitored_all_the_same()
    {
        const int Devices = ProtocolLimits.MaxKnownKeys + 30;
        await using Fixture fixture = await Fixture.StartAsync();
        string[] ids = [.. Enumerable.Range(0, Devices).Select(i => $"d{i:0000}")];
        fixture.PublishItems(
            [FixtureItem.Name("alice", s_user), FixtureItem.List(s_user, ids), .. ids.Select(id => FixtureItem.Device(id, "1"))]);
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        UserMonitorResult first = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);
        Assert.Equal((true, Devices + 1), (first.IsValid, first.Alarms.Count));
        client.AcknowledgeUserAlarms(s_alice, first.Alarms);
        fixture.PublishItems(FixtureItem.Device(ids[^1], "2"));

        UserMonitorResult second = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);

        // The question cannot name all keys, and the server shows all versions of the unnamed keys again. The client compares these
        // versions with its state, but does not report them as new.
        Assert.Equal(ProtocolLimits.MaxKnownKeys, fixture.Server.UserQueries.Last().Keys.Count);
        Assert.Equal([$"{ids[^1]} 2"], Shown(second.NewVersions));
        Assert.Equal([(UserAlarmKind.DeviceValue, 2UL)], second.Alarms.Select(alarm => (alarm.Kind, alarm.Version)));
    }

    [Fact]
    public async Task A_value_that_was_erased_before_it_was_seen_is_an_alarm_also_if_it_is_served_again()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.PublishItems(FixtureItem.Name("alice", s_user), FixtureItem.List(s_user, "phone"), FixtureItem.Device("phone", "1"));
        fixture.PublishItems(FixtureItem.List(s_user, "laptop", "phone"), FixtureItem.Device("phone", "2"));
        using FixtureLog whole = fixture.Log.Fork(fixture.Log.Latest + 1);
        fixture.Log.Erase(StructureId.Keys, "phone"u8.ToArray(), 1);
        fixture.Log.Erase(StructureId.Devices, s_user, 1);
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);

        UserMonitorResult found = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);
        fixture.Server.Log = whole;
        UserHistoryResult again = await client.UserHistoryAsync(s_alice, cancellationToken: Cancellation);
        UserMonitorResult later = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);
        UserAlarmReview review = await client.ReviewUserAlarmsAsync(s_alice, Cancellation);

        // If the previous version of a list was erased, the client cannot compare the list with it, so the client raises an alarm.
        Assert.Equal(
            [(UserAlarmKind.DeviceList, 1UL, true), (UserAlarmKind.DeviceList, 2UL, false), (UserAlarmKind.DeviceValue, 1UL, true),
                (UserAlarmKind.DeviceValue, 2UL, false)],
            found.Alarms.Select(alarm => (alarm.Kind, alarm.Version, alarm.ValueSha256 is null)));
        Assert.Null(found.NewLists[0].Devices);
        Assert.True(again.IsValid);
        Assert.Equal(found.Alarms, later.Alarms);
        Assert.Equal(4, review.Alarms.Count(reviewed => reviewed.Value is not null));
    }

    [Theory]
    [InlineData("user id changed", "user_changed")]
    [InlineData("user came back", "user_returned")]
    [InlineData("unsorted list", "device_list")]
    [InlineData("id twice", "device_list")]
    [InlineData("false answer", "vrf_challenge")]
    [InlineData("older epoch", "stale")]
    [InlineData("cut", "malformed_truncated")]
    public async Task A_server_or_a_log_that_lies_is_refused_and_nothing_is_kept(string what, string reason)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        byte[] list = what switch
        {
            "unsorted list" => [0, 0, 4, 1, (byte)'b', 1, (byte)'a'],
            "id twice" => [0, 0, 4, 1, (byte)'a', 1, (byte)'a'],
            _ => FixtureItem.List(s_user, "phone").Value,
        };
        fixture.PublishItems(FixtureItem.Name("alice", s_user), new FixtureItem(StructureId.Devices, s_user, list),
            FixtureItem.Device("phone", "1"));
        fixture.PublishItems(FixtureItem.Name("bob", "id of bob"u8.ToArray()), FixtureItem.List("id of bob"u8.ToArray(), "tablet"),
            FixtureItem.Device("tablet", "1"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        string user = Base64UrlText.Encode(what == "user id changed" ? "id of carol"u8 : s_user);
        store.TryUpdate(
            state => what switch
            {
                "user came back" => state.SeeLeft(user, 1),
                "older epoch" => state.SeeList(user, new Seen
                {
                    LeastEpoch = 3,
                    At = new Cursor { Period = 0, Version = 1, Time = 1, ValueSha256 = ValueHash.Of(list) },
                }),
                _ => state,
            },
            []);
        store.TryUpdate(
            state => state with { Names = state.Names.Add(Base64UrlText.Encode(s_alice), new NameState { LeastEpoch = 0, User = user }) },
            []);
        byte[]? foreign = what == "false answer"
            ? fixture.Log.UserMonitor(2, new UserMonitorQuery("id of bob"u8.ToArray()).Encode(), fixture.Server.UserPage, out _)
            : null;
        fixture.Server.Mutate = (path, answer) => path != "/v1/users/monitor" ? answer
            : what == "cut" ? answer[..^1]
            : foreign is not null ? [.. fixture.Log.HeadAsync(2, store.Current.Head?.Size ?? 0).GetAwaiter().GetResult()!, .. foreign]
            : answer;
        ClientState before = store.Current;

        Reason found = what == "user id changed"
            ? await OtherUserAsync(fixture, client)
            : (await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation)).Reason;

        Assert.Equal(reason, found.Name());
        if (what is "false answer" or "cut")
        {
            // The lookup of the name is valid, so the client keeps the lookup's result. It keeps nothing of the refused monitoring answer.
            Assert.Equal((0, 0), (store.Current.OwnPersons.Count, store.Current.OwnKeys.Count));
        }
        else
        {
            Assert.Same(before, store.Current);
        }
    }

    [Fact]
    public async Task Nobody_has_a_name_that_leads_nowhere()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.Equal(Verdict.Absent, (await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation)).Verdict);
        Assert.Equal(Verdict.Absent, (await client.UserHistoryAsync(s_alice, cancellationToken: Cancellation)).Verdict);
        Assert.Empty(store.Current.OwnPersons);
    }

    [Fact]
    public void A_note_is_the_owners_alone()
    {
        byte[] opening = NotedValue.NewOpening();
        var version = new KeyVersion(1, 1, NotedValue.Encode("payload"u8, opening, "added new laptop"u8));
        Assert.True(version.IsNote(opening, "added new laptop"u8));
        Assert.False(version.IsNote(opening, "added new tablet"u8));
        Assert.False(version.IsNote(NotedValue.NewOpening(), "added new laptop"u8));
        Assert.False((version with { Value = "payload"u8.ToArray() }).IsNote(opening, "added new laptop"u8));
        Assert.False((version with { Value = null }).IsNote(opening, "added new laptop"u8));
    }

    // Makes a server show another user's entry for a name whose user the client knows. The server sends the entry as if the client did not
    // know the user.
    private static async Task<Reason> OtherUserAsync(Fixture fixture, OptiksClient client)
    {
        byte[] unknowing = fixture.Log.Users(2, UserQueryList.Encode([new UserQuery(s_alice)]), out _);
        fixture.Server.Mutate = (path, answer) =>
            path == "/v1/users/lookup" ? [.. fixture.Log.HeadAsync(2, 0).GetAwaiter().GetResult()!, .. unknowing] : answer;
        return (await client.LookupUserAsync(s_alice, cancellationToken: Cancellation)).Reason;
    }

    // Publishes three versions of the list, and several versions of each device's key.
    private static void Publish(Fixture fixture)
    {
        fixture.PublishItems(FixtureItem.Name("alice", s_user), FixtureItem.List(s_user, "phone"), FixtureItem.Device("phone", "1"));
        fixture.PublishItems(FixtureItem.List(s_user, "phone", "tablet"), FixtureItem.Device("phone", "2"),
            FixtureItem.Device("tablet", "1"));
        fixture.PublishItems(FixtureItem.Device("phone", "3"), FixtureItem.Device("tablet", "2"));
        fixture.PublishItems(FixtureItem.List(s_user, "laptop", "phone"), FixtureItem.Device("laptop", "1"));
        fixture.PublishItems(FixtureItem.Device("phone", "4"));
    }

    private static IEnumerable<string> Shown(IReadOnlyList<UserDeviceVersions> devices) =>
        devices.SelectMany(device =>
            device.Versions.Select(version => $"{Text(device.Device)} {(version.Value is { } value ? Text(value) : "erased")}"));

    private static string Text(ReadOnlyMemory<byte> octets) => Encoding.UTF8.GetString(octets.Span);

    private sealed class Told(List<int> pages) : IProgress<int>
    {
        public void Report(int value) => pages.Add(value);
    }
}
