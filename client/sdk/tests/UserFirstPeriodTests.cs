using System.Text;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>
/// Tests how a client verifies the period in which an owner created or changed a user, if the owner did not monitor the user before the log
/// switched to the next period (docs/spec/state.md section 3.2).
/// </summary>
public sealed class UserFirstPeriodTests
{
    private static readonly byte[] s_carol = "carol"u8.ToArray();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("honest")]
    [InlineData("forged")]
    [InlineData("denied")]
    public async Task What_was_shown_of_a_new_user_before_the_switch_is_looked_at(string what)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = await WithHeadAsync(fixture, store);
        ReadOnlyMemory<byte> user = await CreateAsync(client);
        if (what == "honest")
        {
            fixture.PublishItems(Created(user));
        }
        else
        {
            fixture.PublishItems(FixtureItem.Name("carol", user), FixtureItem.List(user, "phone", "evil"), FixtureItem.Device("phone", "M"),
                FixtureItem.Device("evil", "E"));
            fixture.PublishItems(FixtureItem.List(user, "phone"), FixtureItem.Device("phone", "P1"));
        }
        fixture.Switch();
        if (what == "denied")
        {
            // The server reports that it has no such user. The client does not record the period as one without guarantee, because the
            // report may be a lie.
            fixture.Server.Refuse = path => path == "/v1/users/monitor" ? (404, "not-found") : null;
            UserMonitorResult denied = await client.MonitorUserAsync(s_carol, cancellationToken: Cancellation);
            Assert.Equal((Reason.Stale, 0), (denied.Reason, denied.NoGuarantee.Count));
            Assert.Equal(0UL, store.Current.OwnPersons.Values.Single().GoesOnFrom);
            fixture.Server.Refuse = _ => null;
        }
        UserMonitorResult found = await client.MonitorUserAsync(s_carol, cancellationToken: Cancellation);

        Assert.Equal(Reason.Valid, found.Reason);
        Assert.Equal([0UL], found.HandedOver);
        Assert.Empty(found.NoGuarantee);
        (UserAlarmKind Kind, ulong Period, ulong Version)[] expected = what == "honest" ? [] :
            [(UserAlarmKind.DeviceList, 0, 1), (UserAlarmKind.DeviceList, 0, 2), (UserAlarmKind.DeviceValue, 0, 1),
                (UserAlarmKind.DeviceValue, 0, 1)];
        Assert.Equal(expected, found.Alarms.Select(alarm => (alarm.Kind, alarm.Period, alarm.Version)));
    }

    [Fact]
    public async Task What_was_shown_after_a_change_of_a_user_that_was_not_owned_is_looked_at()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        byte[] user = "carol's id"u8.ToArray();
        fixture.PublishItems(Created(user));
        OptiksClient client = fixture.Client(store);
        await client.ChangeUserAsync(
            s_carol, [UserChange.AddDevice("laptop"u8.ToArray(), "L"u8.ToArray())], cancellationToken: Cancellation);
        fixture.PublishItems(FixtureItem.List(user, "evil", "laptop", "phone"), FixtureItem.Device("laptop", "L"),
            FixtureItem.Device("evil", "E"));
        fixture.PublishItems(FixtureItem.List(user, "laptop", "phone"));
        // The log publishes this name later than the false list. So the name's leaf does not prove that no name led to the user when the
        // log showed the false list.
        fixture.PublishItems(FixtureItem.Name("caz", user));
        fixture.Switch();
        fixture.PublishItems(FixtureItem.Name("cal", user));
        UserMonitorResult found = await client.MonitorUserAsync("cal"u8.ToArray(), cancellationToken: Cancellation);

        Assert.Equal([0UL], found.HandedOver);
        Assert.Contains((UserAlarmKind.DeviceList, 0UL, 2UL), found.Alarms.Select(alarm => (alarm.Kind, alarm.Period, alarm.Version)));
        Assert.Contains((UserAlarmKind.DeviceList, 0UL, 3UL), found.Alarms.Select(alarm => (alarm.Kind, alarm.Period, alarm.Version)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Nothing_is_changed_before_a_head_was_verified(bool ofUser)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        fixture.Server.Mutate = (path, answer) => path == "/v1/epochs/latest" ? [.. answer[..^1], (byte)(answer[^1] ^ 1)] : answer;
        VerifiedAnswer refused = ofUser
            ? Assert.Single((await client.CreateUserAsync([s_carol], [], cancellationToken: Cancellation)).Lookups)
            : (await client.UpdateAsync("alice"u8.ToArray(), "one"u8.ToArray(), cancellationToken: Cancellation)).Lookup!;
        fixture.Server.Mutate = (_, answer) => answer;

        Assert.False(refused.IsValid);
        Assert.DoesNotContain(fixture.Server.Requests, request => request is "POST /v1/updates" or "POST /v1/users");
        Assert.Equal((0, 0), (store.Current.OwnKeys.Count, store.Current.OwnPersons.Count));
        Assert.Equal(UpdateStatus.Pending, ofUser
            ? (await client.CreateUserAsync([s_carol], [], cancellationToken: Cancellation)).Status
            : (await client.UpdateAsync("alice"u8.ToArray(), "one"u8.ToArray(), cancellationToken: Cancellation)).Status);
        Assert.NotNull(store.Current.Head);
    }

    [Fact]
    public async Task What_was_asked_for_first_of_all_is_looked_at_from_its_period_on()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        fixture.Switch();
        OptiksClient client = fixture.Client(store);
        ReadOnlyMemory<byte> user = await CreateAsync(client);
        await client.UpdateAsync("alice"u8.ToArray(), "one"u8.ToArray(), cancellationToken: Cancellation);
        fixture.Clock.UtcNow = fixture.Log.Now;
        fixture.PublishItems([.. Created(user), FixtureItem.Device("alice", "forged")]);
        fixture.PublishItems(FixtureItem.Device("phone", "M"), FixtureItem.Device("alice", "one"));
        fixture.PublishItems(FixtureItem.Device("phone", "P1"));
        fixture.Switch();
        UserMonitorResult carol = await client.MonitorUserAsync(s_carol, cancellationToken: Cancellation);
        MonitorResult alice = await client.MonitorAsync("alice"u8.ToArray(), Cancellation);

        Assert.Equal([(1UL, 2UL), (1UL, 3UL)], carol.Alarms.Select(alarm => (alarm.Period, alarm.Version)));
        Assert.Equal([(1UL, 2UL), (1UL, 3UL)], alice.Alarms.Select(alarm => (alarm.Period, alarm.Version)));
        Assert.Equal((1UL, 1UL), (Assert.Single(carol.HandedOver), Assert.Single(alice.HandedOver)));
    }

    [Theory]
    [InlineData(1, false)]
    [InlineData(1, true)]
    [InlineData(3, false)]
    public async Task A_user_that_came_into_the_log_after_the_switch_goes_on_from_there(int switches, bool looksBefore)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        ReadOnlyMemory<byte> user;
        using (JournalClientStateStore first = await fixture.OpenStoreAsync())
        {
            OptiksClient client = await WithHeadAsync(fixture, first);
            user = await CreateAsync(client);
            // The client also claims a name that the log never publishes. This name must not keep the client from following the periods.
            first.TryUpdate(current => PersonRules.Claim(current, Base64UrlText.Encode(user.Span), [Base64UrlText.Encode("cal"u8)]), []);
            for (int i = 0; i < switches; i++)
            {
                fixture.Publish();
                fixture.Switch();
            }
            if (looksBefore)
            {
                // The log has not published the user yet, so the server refuses the question.
                await Assert.ThrowsAsync<OptiksServerException>(() => client.MonitorUserAsync(s_carol, cancellationToken: Cancellation));
            }
        }
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient again = fixture.Client(store);
        fixture.PublishItems(Created(user));
        UserMonitorResult found = await again.MonitorUserAsync(s_carol, cancellationToken: Cancellation);
        Assert.Empty((await again.MonitorAsync("phone"u8.ToArray(), Cancellation)).Alarms);
        fixture.PublishItems(FixtureItem.Device("phone", "forged"));
        fixture.Switch();
        UserMonitorResult later = await again.MonitorUserAsync(s_carol, cancellationToken: Cancellation);

        Assert.Equal((Reason.Valid, 0, 0, 1UL), (found.Reason, found.Alarms.Count, found.NoGuarantee.Count, found.ListVersion));
        Assert.Equal([(ulong)switches], later.HandedOver);
        Assert.Equal([(UserAlarmKind.DeviceValue, (ulong)switches, 2UL)],
            later.Alarms.Select(alarm => (alarm.Kind, alarm.Period, alarm.Version)));
        // The client asked about the user only for the last ended period, and not for the periods before it.
        Assert.Equal([$"/v1/users/monitor?period={switches}"],
            fixture.Server.EndedQueries.Where(query => query.StartsWith("/v1/users/", StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData(0, true)]
    [InlineData(1, false)]
    public async Task That_there_was_no_name_before_is_worth_what_auditors_cover(int later, bool isGuaranteed)
    {
        using var cosigners = new TestCosigners();
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        fixture.Publish();
        fixture.Publish();
        ulong last = fixture.Log.Latest;
        TrustAnchor anchor = cosigners.Anchor(1, TimeSpan.FromHours(1), ("a", last + (ulong)later));
        fixture.Server.Cosignatures = () =>
            TestCosigners.Answer(cosigners.Sign(fixture.Log, fixture.Log.Latest + 1, fixture.Clock.UtcNow, "a"));
        OptiksClient client = fixture.Client(store, null, options => options with { TrustAnchor = anchor });
        Assert.True((await client.LookupAsync("bob", Cancellation)).IsValid);
        ReadOnlyMemory<byte> user = await CreateAsync(client);
        fixture.Switch();
        fixture.PublishItems(Created(user));
        UserMonitorResult found = await client.MonitorUserAsync(s_carol, cancellationToken: Cancellation);

        Assert.Equal((Reason.Valid, 0), (found.Reason, found.Alarms.Count));
        Assert.Equal(isGuaranteed ? [] : [new Missed(0, 0, last)], found.NoGuarantee);
        // With the guarantee, the state also relies on what the client verified at the end of the period.
        Assert.Equal(isGuaranteed ? last : fixture.Log.Latest, store.Current.OwnLists.Values.Single().At!.ProvenEpoch);
    }

    [Fact]
    public async Task A_request_that_is_refused_leaves_no_period_to_go_on_from()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = await WithHeadAsync(fixture, store);
        UserUpdateResult pending = await client.CreateUserAsync([s_carol], [], cancellationToken: Cancellation);
        Assert.Equal(0UL, store.Current.OwnPersons.Values.Single().GoesOnFrom);
        fixture.Switch();
        Assert.True((await client.LookupAsync("bob", Cancellation)).IsValid);
        Assert.Single(store.Current.PeriodEnds);
        fixture.Server.UserStatus = """{"status":"refused","reason":"username-taken","item":0}""";
        Assert.Equal(UpdateStatus.Refused, (await client.WaitAsync(pending, TimeSpan.FromSeconds(5), Cancellation)).Status);
        Assert.Null(store.Current.OwnPersons.Values.Single().GoesOnFrom);
        Assert.Empty(store.Current.PeriodEnds);
    }

    private static FixtureItem[] Created(ReadOnlyMemory<byte> user) =>
        [FixtureItem.Name("carol", user), FixtureItem.List(user, "phone"), FixtureItem.Device("phone", "P1")];

    private static async Task<OptiksClient> WithHeadAsync(Fixture fixture, JournalClientStateStore store)
    {
        OptiksClient client = fixture.Client(store);
        Assert.True((await client.LookupAsync("bob", Cancellation)).IsValid);
        return client;
    }

    private static async Task<ReadOnlyMemory<byte>> CreateAsync(OptiksClient client) =>
        (await client.CreateUserAsync([s_carol], [new UserDeviceValue("phone"u8.ToArray(), Encoding.UTF8.GetBytes("P1"))],
            cancellationToken: Cancellation)).User!.Value;
}
