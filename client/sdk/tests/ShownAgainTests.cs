using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>
/// Tests which proofs a client requests again. It must request a proof again if its auditors began their coverage after the answer that
/// first showed this proof (docs/spec/cosigners.md section 4). Also tests which alarms the owner then gets.
/// </summary>
public sealed class ShownAgainTests : IDisposable
{
    private static readonly byte[] Alice = "alice"u8.ToArray();
    private static readonly byte[] User = "user"u8.ToArray();
    private static readonly TimeSpan s_lag = TimeSpan.FromMinutes(10);

    private readonly TestCosigners _cosigners = new();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => _cosigners.Dispose();

    [Theory]
    // The policy has only the new auditor. Versions that were replaced before its coverage began raise no alarm, because no client that
    // relies on this auditor saw them.
    [InlineData(false, new ulong[0])]
    // The policy still has the old auditor, which may cover these versions. The client has only the last version to compare with the
    // answer, so the other versions raise alarms.
    [InlineData(true, new ulong[] { 1, 2 })]
    public async Task An_owner_whose_auditor_began_later_is_shown_all_versions_again(bool oldStays, ulong[] alarms)
    {
        await using Fixture fixture = await StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        ulong oldSize = fixture.Log.Latest + 1;
        fixture.Server.Cosignatures = () => TestCosigners.Answer(_cosigners.Sign(fixture.Log, oldSize, fixture.Clock.UtcNow, "old"));
        OptiksClient before = Client(fixture, store, _cosigners.Anchor(1, s_lag, ("old", 0)));
        MonitorResult first = await before.MonitorAsync(Alice, Cancellation);
        UserMonitorResult firstOfUser = await before.MonitorUserAsync(User, cancellationToken: Cancellation);
        Assert.Equal((true, 3UL, true), (first.Head!.IsAudited, first.Version, firstOfUser.Head!.IsAudited));
        Assert.Equal(3, before.AcknowledgeAlarms(Alice, first.Alarms));
        Assert.Equal(firstOfUser.Alarms.Count, before.AcknowledgeUserAlarms(User, firstOfUser.Alarms));
        ulong began = fixture.Log.Latest + 1;
        fixture.Publish(("bob", "other"));
        ulong newSize = fixture.Log.Latest + 1;
        fixture.Server.Cosignatures = () => TestCosigners.Answer(
            _cosigners.Sign(fixture.Log, oldSize, fixture.Clock.UtcNow, "old"),
            _cosigners.Sign(fixture.Log, newSize, fixture.Clock.UtcNow, "new"));
        TrustAnchor anchor = oldStays
            ? _cosigners.Anchor(1, s_lag, ("old", 0), ("new", began))
            : _cosigners.Anchor(1, s_lag, ("new", began));
        // This lookup gives the client the new auditor's checkpoint before the owner monitors the key.
        Assert.True((await Client(fixture, store, anchor).LookupAsync("carol"u8.ToArray(), Cancellation)).Head!.IsAudited);

        MonitorResult again = await Client(fixture, store, anchor).MonitorAsync(Alice, Cancellation);
        UserMonitorResult user = await Client(fixture, store, anchor).MonitorUserAsync(User, cancellationToken: Cancellation);

        Assert.Equal((true, true, 0, 3UL), (again.IsValid, again.Head!.IsAudited, again.NewVersions.Count, again.Version));
        Assert.Equal(alarms, again.Alarms.Select(alarm => alarm.Version));
        Assert.Equal((true, true, 0),
            (user.IsValid, user.Head!.IsAudited, user.NewVersions.Sum(device => device.Versions.Count) + user.NewLists.Count));
        Assert.Equal(oldStays ? [(UserAlarmKind.DeviceList, 1UL), (UserAlarmKind.DeviceValue, 1UL), (UserAlarmKind.DeviceValue, 2UL)] : [],
            user.Alarms.Select(alarm => (alarm.Kind, alarm.Version)));
        // From here on the state relies on the answers to this monitoring. Later answers leave out the versions that these answers showed,
        // except the latest version of a key.
        fixture.PublishItems(FixtureItem.Device("alice", "4"), FixtureItem.Device("phone", "4"));
        newSize = fixture.Log.Latest + 1;
        MonitorResult later = await Client(fixture, store, anchor).MonitorAsync(Alice, Cancellation);
        Assert.Equal(3UL, Assert.Single(fixture.Server.LastQueries).Version);
        UserMonitorResult laterOfUser = await Client(fixture, store, anchor).MonitorUserAsync(User, cancellationToken: Cancellation);
        Assert.Equal(3UL, fixture.Server.UserQueries.Last().From);
        Assert.Equal((true, true), (later.Head!.IsAudited, laterOfUser.Head!.IsAudited));
        Assert.Equal(again.Alarms.Count + 1, later.Alarms.Count);
    }

    [Fact]
    public async Task A_version_that_is_shown_again_is_the_one_that_was_seen()
    {
        await using Fixture fixture = await StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        Assert.True((await fixture.Client(store).MonitorAsync(Alice, Cancellation)).IsValid);
        // Change the value of the known version in the state. The log's list will have later versions, and the client will read it in
        // pages.
        var id = StructureKey.OfKey(Base64UrlText.Encode(Alice));
        Own own = store.Current.OwnOf(id)!;
        store.TryUpdate(
            state => state.ForgetSeen(StructureId.Keys).SetOwn(
                id, own with { At = own.At! with { ValueSha256 = ValueHash.Of("other"u8) } }), []);
        fixture.Publish(("alice", "4"));
        fixture.Publish(("alice", "5"));
        fixture.Server.PageSize = 3;
        TrustAnchor anchor = _cosigners.Anchor(1, s_lag, ("new", fixture.Log.Latest));

        MonitorResult refused = await Client(fixture, store, anchor).MonitorAsync(Alice, Cancellation);

        Assert.Equal((Verdict.Invalid, Reason.VersionRegressed), (refused.Verdict, refused.Reason));
        // As a control, put the original value back into the state. The answer is then valid.
        store.TryUpdate(state => state.SetOwn(id, own), []);
        Assert.True((await Client(fixture, store, anchor).MonitorAsync(Alice, Cancellation)).IsValid);
    }

    [Fact]
    public async Task A_user_that_was_looked_up_under_a_later_auditor_is_known_from_then_on()
    {
        await using Fixture fixture = await StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        TrustAnchor anchor = _cosigners.Anchor(1, s_lag, ("a", fixture.Log.Latest));
        fixture.Server.Cosignatures = () =>
            TestCosigners.Answer(_cosigners.Sign(fixture.Log, fixture.Log.Latest + 1, fixture.Clock.UtcNow, "a"));
        UserLookupResult first = await Client(fixture, store, anchor).LookupUserAsync(User, cancellationToken: Cancellation);
        ulong proven = fixture.Log.Latest;
        fixture.Publish();

        UserLookupResult again = await Client(fixture, store, anchor).LookupUserAsync(User, cancellationToken: Cancellation);

        Assert.Equal((true, false), (first.Head!.IsAudited, first.Devices.Single().Unchanged));
        Assert.Equal((true, true), (again.Head!.IsAudited, again.Devices.Single().Unchanged));
        Assert.Equal((proven, proven),
            (store.Current.Names[Base64UrlText.Encode(User)].ProvenEpoch, store.Current.SeenLists.Values.Single().At.ProvenEpoch));
        // An auditor that began later does not cover the epochs on which the state relies, so the client requests all proofs again.
        fixture.Publish();
        TrustAnchor other = _cosigners.Anchor(1, s_lag, ("a", fixture.Log.Latest));
        UserLookupResult whole = await Client(fixture, store, other).LookupUserAsync(User, cancellationToken: Cancellation);
        Assert.Equal((true, false), (whole.Head!.IsAudited, whole.Devices.Single().Unchanged));
    }

    // Starts a log in which the key "alice" and the key of the user's device "phone" have three versions each, and the device list has two
    // versions.
    private static async Task<Fixture> StartAsync()
    {
        Fixture fixture = await Fixture.StartAsync();
        byte[] id = "id"u8.ToArray();
        fixture.PublishItems(FixtureItem.Name("user", id), FixtureItem.List(id, "phone", "tablet"), FixtureItem.Device("phone", "1"),
            FixtureItem.Device("alice", "1"));
        fixture.PublishItems(FixtureItem.List(id, "phone"), FixtureItem.Device("phone", "2"), FixtureItem.Device("alice", "2"));
        fixture.PublishItems(FixtureItem.Device("phone", "3"), FixtureItem.Device("alice", "3"));
        return fixture;
    }

    private static OptiksClient Client(Fixture fixture, JournalClientStateStore store, TrustAnchor anchor) =>
        fixture.Client(store, null, options => options with { TrustAnchor = anchor });
}
