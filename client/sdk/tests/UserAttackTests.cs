using System.Text;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>
/// Tests attacks of a log or a server on an owner's user that the owner must notice. Each false answer either would be valid if it were the
/// only answer, or contradicts an answer of another kind.
/// </summary>
public sealed class UserAttackTests
{
    private static readonly byte[] s_alice = "alice"u8.ToArray();
    private static readonly byte[] s_other = "another user"u8.ToArray();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_key_of_ones_own_that_is_put_onto_the_list_and_taken_off_stays_owned()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        await client.UpdateAsync("plain"u8.ToArray(), "mine"u8.ToArray(), cancellationToken: Cancellation);
        ReadOnlyMemory<byte> user = await CreateAsync(fixture, client, "phone");
        Assert.Empty((await client.MonitorAsync("plain"u8.ToArray(), Cancellation)).Alarms);
        Own before = store.Current.OwnKeys[Id("plain")];

        fixture.PublishItems(FixtureItem.List(user, "phone", "plain", "ghost"), FixtureItem.Device("ghost", "its key"));
        UserMonitorResult on = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);
        fixture.PublishItems(FixtureItem.List(user, "phone"));
        UserMonitorResult off = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);
        client.AcknowledgeUserAlarms(s_alice, off.Alarms);
        await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);

        Assert.Equal([(UserAlarmKind.DeviceList, 2UL), (UserAlarmKind.DeviceValue, 1UL)],
            on.Alarms.Select(alarm => (alarm.Kind, alarm.Version)));
        Assert.Equal(3, off.Alarms.Count);
        Own after = store.Current.OwnKeys[Id("plain")];
        Assert.Equal((before.At!.Version, before.At.ValueSha256, false), (after.At!.Version, after.At.ValueSha256, after.IsListedOnly));
        // The client drops the state of a device that is no longer on the list, once the owner has acknowledged its alarms.
        Assert.Equal([Id("phone"), Id("plain")], store.Current.OwnKeys.Keys.Order(StringComparer.Ordinal));
        Assert.DoesNotContain(client.OwnedKeys, key => key.Span.SequenceEqual("ghost"u8));
        fixture.Publish(("plain", "forged"));
        Assert.Equal([2UL], (await client.MonitorAsync("plain"u8.ToArray(), Cancellation)).Alarms.Select(alarm => alarm.Version));
    }

    [Theory]
    [InlineData("user lookup")]
    [InlineData("user history")]
    [InlineData("user monitor")]
    [InlineData("lookup")]
    [InlineData("history")]
    [InlineData("monitor")]
    public async Task What_one_kind_of_answer_showed_no_other_can_take_back(string shown)
    {
        // Two logs share one trust anchor. In the first log, the device list and the device's key have a second version. The second log has
        // only the first versions, but a later epoch.
        await using Fixture fixture = await Fixture.StartAsync();
        using var second = new FixtureLog();
        Publish(fixture.Log, 2);
        Publish(second, 1);
        fixture.Clock.UtcNow = second.Now;
        string[] kinds = ["user lookup", "user history", "user monitor", "lookup", "history", "monitor"];
        foreach (string later in kinds)
        {
            // Take the later answer once from the first log, as a control, and once from the second log, whose answer contradicts the kept
            // state.
            foreach (FixtureLog log in (FixtureLog[])[fixture.Log, second])
            {
                var store = new MemoryClientStateStore(FixtureLog.Anchor, fixture.Folder.In("evidence"));
                OptiksClient client = fixture.Client(store);
                // Let the client look up the name at the previous epoch, so that only the next answer shows the second versions.
                fixture.Server.Lag = 1;
                Assert.Equal(Reason.Valid, await AskAsync(client, "user lookup"));
                fixture.Server.Lag = null;
                Assert.Equal(Reason.Valid, await AskAsync(client, shown));
                // Remove the kept head, which would reveal the second log at once. Here the kept state of keys and lists must reveal it.
                store.TryUpdate(current => current with { Head = null }, []);
                fixture.Server.Log = log;
                Reason reason;
                try
                {
                    reason = await AskAsync(client, later);
                }
                catch (OptiksServerException e) when (e.Problem == "not-caught-up")
                {
                    // An honest server of the second log refuses a question that names versions that this log does not have. So let the
                    // server answer as a lying server would.
                    fixture.Server.DeniesWhatIsKnown = true;
                    reason = await AskAsync(client, later);
                    fixture.Server.DeniesWhatIsKnown = false;
                }
                fixture.Server.Log = fixture.Log;
                // If the answer's list begins at version 1 although the client requested a later version, the client refuses the answer
                // with the earlier check `history-from`.
                Assert.True(log == second ? reason is Reason.VersionRegressed or Reason.HistoryFrom : reason == Reason.Valid,
                    $"{later}: {reason}");
            }
        }

        static void Publish(FixtureLog log, int versions)
        {
            for (int version = 1; version <= 2; version++)
            {
                FixtureItem[] more = version > versions
                    ? []
                    : [FixtureItem.List(s_other, version == 1 ? ["phone"] : ["phone", "tablet"]),
                        FixtureItem.Device("phone", $"{version}")];
                log.Publish([.. version == 1 ? [FixtureItem.Name("alice", s_other)] : Array.Empty<FixtureItem>(), .. more]);
            }
            log.PublishMany(2, _ => []);
        }

        static async Task<Reason> AskAsync(OptiksClient client, string kind) => kind switch
        {
            "user lookup" => (await client.LookupUserAsync("alice", Cancellation)).Reason,
            "user history" => (await client.UserHistoryAsync(s_alice, cancellationToken: Cancellation)).Reason,
            "user monitor" => (await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation)).Reason,
            "lookup" => (await client.LookupAsync("phone", Cancellation)).Reason,
            "history" => (await client.HistoryAsync("phone"u8.ToArray(), Cancellation)).Reason,
            _ => (await client.MonitorAsync("phone"u8.ToArray(), Cancellation)).Reason,
        };
    }

    [Theory]
    [InlineData("user monitor")]
    [InlineData("user lookup")]
    [InlineData("user history")]
    public async Task A_key_that_was_there_cannot_be_absent(string shown)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using var second = new FixtureLog();
        fixture.PublishItems(FixtureItem.Name("alice", s_other), FixtureItem.List(s_other, "phone"), FixtureItem.Device("phone", "1"));
        second.PublishMany(2, _ => []);
        var store = new MemoryClientStateStore(FixtureLog.Anchor, fixture.Folder.In("evidence"));
        OptiksClient client = fixture.Client(store);
        Assert.Equal(Reason.Valid, shown switch
        {
            "user monitor" => (await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation)).Reason,
            "user lookup" => (await client.LookupUserAsync("alice", Cancellation)).Reason,
            _ => (await client.UserHistoryAsync(s_alice, cancellationToken: Cancellation)).Reason,
        });
        store.TryUpdate(current => current with { Head = null }, []);
        fixture.Server.Log = second;
        fixture.Clock.UtcNow = second.Now;

        Assert.Equal(Reason.VersionRegressed, (await client.LookupAsync("phone", Cancellation)).Reason);
        // If a question names a user who does not exist in the second log, an honest server of that log refuses the question.
        fixture.Server.Log = second;
        OptiksServerException behind = await Assert.ThrowsAsync<OptiksServerException>(() => client.LookupUserAsync("alice", Cancellation));
        Assert.Equal("not-caught-up", behind.Problem);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_name_of_ones_own_that_leads_to_another_user_is_an_alarm_that_stays(bool looksUp)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            OptiksClient client = fixture.Client(store);
            await client.CreateUserAsync([s_alice], [], cancellationToken: Cancellation);
            fixture.PublishItems(FixtureItem.Name("alice", s_other), FixtureItem.List(s_other, "phone"),
                FixtureItem.Device("phone", "not mine"));
            fixture.Server.Refuse = path => path == "/v1/users/monitor" ? (403, "forbidden") : null;
            if (looksUp)
            {
                UserLookupResult found = await client.LookupUserAsync("alice", Cancellation);
                Assert.Equal((true, UserAlarmKind.NameElsewhere, Base64UrlText.Encode(s_other)),
                    (found.IsValid, Assert.Single(found.Alarms).Kind, found.Alarms[0].User));
            }
            // The client looked up the name first, and so learned of the alarm, although the server then refused to let the client monitor
            // the user.
            OptiksServerException refused =
                await Assert.ThrowsAsync<OptiksServerException>(() => client.MonitorUserAsync(s_alice, cancellationToken: Cancellation));
            Assert.Equal("forbidden", refused.Problem);
        }
        using JournalClientStateStore reopened = await fixture.OpenStoreAsync();
        OptiksClient later = fixture.Client(reopened);
        UserAlarm alarm = Assert.Single(later.UserAlarms(s_alice));
        Assert.Equal((UserAlarmKind.NameElsewhere, Id("alice")), (alarm.Kind, alarm.Name));
        // The client raises the alarm once, however often it sees the same fact.
        Assert.Single((await later.LookupUserAsync("alice", Cancellation)).Alarms);
        // If the owner requests a change by this name, the change still concerns the client's own user and not the other user.
        UserUpdateResult sent = await later.ChangeUserAsync(
            s_alice, [UserChange.AddUsername("al"u8.ToArray())], cancellationToken: Cancellation);
        Assert.False(sent.User!.Value.Span.SequenceEqual(s_other));
        Assert.Equal(1, later.AcknowledgeUserAlarms(s_alice, [alarm]));
        Assert.Empty((await later.LookupUserAsync("alice", Cancellation)).Alarms);
    }

    [Fact]
    public async Task A_user_that_a_lookup_shows_to_have_left_unasked_is_an_alarm_and_one_that_was_asked_for_is_none()
    {
        foreach (bool asked in (bool[])[false, true])
        {
            await using Fixture fixture = await Fixture.StartAsync();
            using JournalClientStateStore store = await fixture.OpenStoreAsync();
            OptiksClient client = fixture.Client(store);
            ReadOnlyMemory<byte> user = await CreateAsync(fixture, client, "phone");
            if (asked)
            {
                Assert.Equal(UpdateStatus.Pending,
                    (await client.DecommissionUserAsync(s_alice, TimeSpan.Zero, cancellationToken: Cancellation)).Status);
            }
            fixture.PublishItems(FixtureItem.Left(user));
            UserLookupResult found = await client.LookupUserAsync("alice", Cancellation);
            Assert.Equal((true, asked ? 0 : 1), (found.HasLeft, found.Alarms.Count));
            UserMonitorResult monitored = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);
            Assert.Equal((true, true, asked ? 0 : 1, 0), (monitored.IsValid, monitored.HasLeft, monitored.Alarms.Count, monitored.Pending));
        }
    }

    [Fact]
    public async Task An_owner_looks_before_it_leaves()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        ReadOnlyMemory<byte> user = await CreateAsync(fixture, client, "phone");
        fixture.PublishItems(FixtureItem.List(user, "phone", "ghost"), FixtureItem.Device("ghost", "its key"));
        fixture.Server.Requests.Clear();

        UserUpdateResult seen = await client.DecommissionUserAsync(s_alice, TimeSpan.Zero, cancellationToken: Cancellation);
        Assert.Equal((UpdateStatus.Refused, 2), (seen.Status, seen.Look!.Alarms.Count));
        Assert.DoesNotContain("POST /v1/users", fixture.Server.Requests);
        Assert.Empty(store.Current.OwnLists.Values.Single().Expected);

        // If the server refuses to let the client monitor the user, the client does not send the request to leave.
        fixture.Server.Refuse = path => path == "/v1/users/monitor" ? (403, "forbidden") : null;
        await Assert.ThrowsAsync<OptiksServerException>(
            () => client.DecommissionUserAsync(s_alice, TimeSpan.Zero, cancellationToken: Cancellation));
        Assert.DoesNotContain("POST /v1/users", fixture.Server.Requests);
        fixture.Server.Refuse = _ => null;

        Assert.Equal(2, client.AcknowledgeUserAlarms(s_alice, seen.Look.Alarms));
        UserUpdateResult left = await client.DecommissionUserAsync(s_alice, TimeSpan.Zero, cancellationToken: Cancellation);
        Assert.Equal((UpdateStatus.Pending, true), (left.Status, left.Look!.IsValid));
        Assert.Contains("POST /v1/users", fixture.Server.Requests);
    }

    [Fact]
    public async Task What_was_not_seen_when_the_user_has_left_is_not_dropped()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        ReadOnlyMemory<byte> user = await CreateAsync(fixture, client, "phone");
        await client.ChangeUserAsync(
            s_alice, [UserChange.AddDevice("tablet"u8.ToArray(), "its key"u8.ToArray())], cancellationToken: Cancellation);
        await client.DecommissionUserAsync(s_alice, TimeSpan.Zero, unseen: true, cancellationToken: Cancellation);
        fixture.PublishItems(FixtureItem.Left(user));

        UserMonitorResult left = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);

        // The log never published the owner's earlier request, so the list and the value in that request are still pending.
        Assert.Equal((true, 0, 2), (left.HasLeft, left.Alarms.Count, left.Pending));
    }

    [Fact]
    public async Task Requests_are_seen_in_the_order_of_the_owner()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Server.PublishAtOnce = false;
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        foreach (string value in (string[])["one", "two", "three"])
        {
            await client.UpdateAsync(s_alice, Encoding.UTF8.GetBytes(value), cancellationToken: Cancellation);
        }
        fixture.Publish(("alice", "two"));
        MonitorResult second = await client.MonitorAsync(s_alice, Cancellation);
        fixture.Publish(("alice", "three"));
        MonitorResult third = await client.MonitorAsync(s_alice, Cancellation);
        fixture.Publish(("alice", "one"));
        MonitorResult first = await client.MonitorAsync(s_alice, Cancellation);

        // The log published the second update before the first one. That raises no alarm, because the first update may be lost. The first
        // update counts as overtaken.
        Assert.Equal((0, 1, 1), (second.Alarms.Count, second.Pending, second.Overtaken));
        Assert.Equal((0, 0, 1), (third.Alarms.Count, third.Pending, third.Overtaken));
        // Then the log publishes the first update, which undoes the third update. Monitoring raises an alarm about this version.
        Assert.Equal([3UL], first.Alarms.Select(alarm => alarm.Version));
        Assert.Equal((0, 0), (first.Pending, first.Overtaken));
    }

    [Fact]
    public async Task A_list_is_what_one_request_makes_of_the_list_before()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        ReadOnlyMemory<byte> user = await CreateAsync(fixture, client, "phone");
        await client.ChangeUserAsync(
            s_alice, [UserChange.AddDevice("laptop"u8.ToArray(), "1"u8.ToArray())], cancellationToken: Cancellation);
        await client.ChangeUserAsync(
            s_alice, [UserChange.AddDevice("tablet"u8.ToArray(), "1"u8.ToArray()), UserChange.RemoveDevice("laptop"u8.ToArray())],
            cancellationToken: Cancellation);
        // The log publishes three lists. No request explains the first list, which has the additional device "ghost", or the second list,
        // which drops this device. The third list results from applying the owner's second request to the second list.
        fixture.PublishItems(FixtureItem.List(user, "phone", "laptop", "ghost"), FixtureItem.Device("laptop", "1"));
        fixture.PublishItems(FixtureItem.List(user, "phone", "laptop"));
        fixture.PublishItems(FixtureItem.List(user, "phone", "tablet"), FixtureItem.Device("tablet", "1"));

        UserMonitorResult found = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);

        Assert.Equal([2UL, 3UL], found.Alarms.Where(alarm => alarm.Kind == UserAlarmKind.DeviceList).Select(alarm => alarm.Version));
        Assert.Equal(2, found.Alarms.Count);
        // The log has not shown the result of the first request, so this request counts as overtaken.
        Assert.Equal((0, 1), (found.Pending, found.Overtaken));
        Assert.Equal(["phone", "tablet"], found.Devices.Select(device => Encoding.UTF8.GetString(device.Span)));
    }

    // Lets the owner create a user with one device, lets the log publish the user, and lets the owner monitor the user once.
    internal static async Task<ReadOnlyMemory<byte>> CreateAsync(Fixture fixture, OptiksClient client, string device)
    {
        UserUpdateResult pending = await client.CreateUserAsync(
            [s_alice], [new UserDeviceValue(Encoding.UTF8.GetBytes(device), "1"u8.ToArray())], cancellationToken: Cancellation);
        ReadOnlyMemory<byte> user = pending.User!.Value;
        fixture.PublishItems(FixtureItem.Name("alice", user), FixtureItem.List(user, device), FixtureItem.Device(device, "1"));
        UserMonitorResult first = await client.MonitorUserAsync(s_alice, cancellationToken: Cancellation);
        Assert.Equal((Reason.Valid, 0, 0, 1UL), (first.Reason, first.Alarms.Count, first.Pending, first.ListVersion));
        return user;
    }

    private static string Id(string text) => Base64UrlText.Encode(Encoding.UTF8.GetBytes(text));
}
