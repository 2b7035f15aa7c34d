using System.Text;
using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>
/// Tests requests that change a user: which body the client sends, what the owner's state keeps of a request, and when the client confirms
/// the server's statement that a request was published.
/// </summary>
public sealed class UserRequestTests
{
    private static readonly byte[] s_alice = "alice"u8.ToArray();
    private static readonly byte[] s_phone = "phone"u8.ToArray();
    private static readonly byte[] s_laptop = "laptop"u8.ToArray();
    private static readonly byte[] s_one = "one"u8.ToArray();
    private static readonly byte[] s_two = "two"u8.ToArray();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public void Bodies_are_those_of_the_specification()
    {
        var id = Guid.Parse("0193a2f0-7c1e-7abc-8def-0123456789ab");
        var user = KeyName.OfVerified(UserIds.FromGuid(id));
        var request = new UserRequest(id, user, [
            UserChange.Create([s_alice], [new UserDeviceValue(s_phone, s_one)]),
            UserChange.AddUsername("al"u8.ToArray()),
            UserChange.AddDevice(s_laptop, s_two),
            UserChange.SetDevice(s_phone, s_two, new KeyVersionNumber(0, 3)),
            UserChange.RemoveDevice(s_laptop),
            UserChange.Decommission(),
        ]);

        // The expected user id. The programs `printf` and `sha256sum` computed it as SHA-256 of "optiks user id 1\n" and the request id's
        // 16 octets.
        Assert.Equal("3e6eb453128f762898f5ac2f80896552", Convert.ToHexStringLower(user.Octets.Span));
        Assert.Equal(
            $$$"""{"request_id":"{{{id}}}","user_b64":"{{{user.Id}}}","changes":[{"op":"create","usernames_b64":["YWxpY2U"],"devices":[{"device_b64":"cGhvbmU","value_b64":"b25l"}]},{"op":"add-username","username_b64":"YWw"},{"op":"add-device","device_b64":"bGFwdG9w","value_b64":"dHdv"},{"op":"set-device","device_b64":"cGhvbmU","value_b64":"dHdv","expected":{"period":0,"version":3}},{"op":"remove-device","device_b64":"bGFwdG9w"},{"op":"decommission"}]}""",
            Encoding.UTF8.GetString(request.Body().Span));
    }

    [Fact]
    public async Task A_request_is_expected_before_it_is_sent_once_under_its_id_and_forgotten_when_it_is_refused()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        ClientState? whenSent = null;
        fixture.Server.Refuse = path =>
        {
            whenSent = path == "/v1/users" ? store.Current : whenSent;
            return null;
        };

        UserUpdateResult pending =
            await client.CreateUserAsync([s_alice], [new UserDeviceValue(s_phone, s_one)], cancellationToken: Cancellation);
        UserUpdateResult again = await client.CreateUserAsync(
            [s_alice], [new UserDeviceValue(s_phone, s_one)], pending.RequestId, Cancellation);

        Assert.Equal((UpdateStatus.Pending, true), (pending.Status, pending.User!.Value.Span.SequenceEqual(again.User!.Value.Span)));
        Assert.Equal(ValueHash.Of(s_one), Assert.Single(whenSent!.OwnKeys[Base64UrlText.Encode(s_phone)].Expected).ValueSha256);
        Expected expected = Assert.Single(store.Current.OwnLists[Base64UrlText.Encode(pending.User.Value.Span)].Expected);
        Assert.Equal((pending.RequestId, Base64UrlText.Encode(s_phone), 0, false),
            (expected.RequestId, Assert.Single(expected.Added), expected.Removed.Length,
                store.Current.OwnPersons.Values.Any(own => !own.Leaving.IsEmpty)));

        fixture.Server.UserStatus = """{"status":"refused","reason":"device-taken","item":2,"current":{"period":0,"version":1}}""";
        UserUpdateResult refused = await client.WaitAsync(pending, TimeSpan.FromSeconds(5), Cancellation);
        Assert.Equal((UpdateStatus.Refused, "device-taken", new KeyVersionNumber(0, 1)),
            (refused.Status, refused.RefusedBecause, refused.Current));
        Assert.Empty(store.Current.OwnLists.Values.Single().Expected);
        Assert.Empty(store.Current.OwnKeys.Values.Single().Expected);

        fixture.Server.Refuse = path => path == "/v1/users" ? (403, "forbidden") : null;
        await Assert.ThrowsAsync<OptiksServerException>(() => client.CreateUserAsync([s_alice], [], cancellationToken: Cancellation));
        Assert.All(store.Current.OwnLists.Values, owned => Assert.Empty(owned.Expected));
        Assert.All(store.Current.OwnPersons.Values, owned => Assert.Empty(owned.Leaving));
    }

    [Fact]
    public async Task A_request_id_that_is_used_again_forgets_nothing_of_the_first_request()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        UserUpdateResult first = await client.CreateUserAsync(
            [s_alice], [new UserDeviceValue(s_phone, s_one)], cancellationToken: Cancellation);
        ClientState accepted = store.Current;
        fixture.Server.Refuse = path => path == "/v1/users" ? (409, "request-id-reused") : null;

        await Assert.ThrowsAsync<OptiksServerException>(
            () => client.CreateUserAsync([s_alice, "al"u8.ToArray()],
                [new UserDeviceValue(s_phone, s_two), new UserDeviceValue(s_laptop, s_two)], first.RequestId, Cancellation));

        Assert.Equal(accepted.OwnPersons.Values.Single().Names, store.Current.OwnPersons.Values.Single().Names);
        Assert.Equal(accepted.OwnLists.Values.Single().Expected, store.Current.OwnLists.Values.Single().Expected);
        Assert.Equal(accepted.OwnKeys[Base64UrlText.Encode(s_phone)].Expected, store.Current.OwnKeys[Base64UrlText.Encode(s_phone)].Expected);
        Assert.Empty(store.Current.OwnKeys[Base64UrlText.Encode(s_laptop)].Expected);
    }

    [Fact]
    public async Task A_known_user_is_changed_by_its_id_and_the_state_is_read_back()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        string user = Base64UrlText.Encode("user id"u8);
        ClientState before;
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            // Publish the user, because the client looks up the list before it requests a change of the list.
            fixture.PublishItems(FixtureItem.Name("alice", "user id"u8.ToArray()), FixtureItem.List("user id"u8.ToArray(), "phone"),
                FixtureItem.Device("phone", "one"));
            store.TryUpdate(
                state =>
                    state with { Names = state.Names.Add(Base64UrlText.Encode(s_alice), new NameState { LeastEpoch = 0, User = user }) },
                    []);
            await fixture.Client(store).ChangeUserAsync(
                s_alice, [UserChange.AddDevice(s_laptop, s_two), UserChange.RemoveDevice(s_phone)], cancellationToken: Cancellation);
            before = store.Current;
        }
        using JsonDocument sent = JsonDocument.Parse(fixture.Server.LastUserRequest);
        Assert.Equal(
            (user, 2), (sent.RootElement.GetProperty("user_b64").GetString(), sent.RootElement.GetProperty("changes").GetArrayLength()));
        using JournalClientStateStore reopened = await fixture.OpenStoreAsync();
        Expected change = Assert.Single(reopened.Current.OwnLists[user].Expected);
        Assert.Equal([Base64UrlText.Encode(s_laptop), Base64UrlText.Encode(s_phone)],
            [Assert.Single(change.Added), Assert.Single(change.Removed)]);
        Assert.Equal(before.OwnKeys.Keys, reopened.Current.OwnKeys.Keys);
    }

    [Fact]
    public async Task What_no_log_takes_is_not_sent()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        byte[] tooLong = new byte[256];
        byte[] tooMuch = new byte[FixtureLog.Configuration.MaxValueLength + 1];

        await Assert.ThrowsAsync<ArgumentException>(() => client.CreateUserAsync([], [], cancellationToken: Cancellation));
        await Assert.ThrowsAsync<ArgumentException>(() => client.CreateUserAsync([tooLong], [], cancellationToken: Cancellation));
        await Assert.ThrowsAsync<ArgumentException>(
            () => client.CreateUserAsync([s_alice], [new UserDeviceValue(tooLong, s_one)], cancellationToken: Cancellation));
        await Assert.ThrowsAsync<ArgumentException>(
            () => client.CreateUserAsync([s_alice], [new UserDeviceValue(s_phone, tooMuch)], cancellationToken: Cancellation));
        await Assert.ThrowsAsync<ArgumentException>(() => client.ChangeUserAsync(s_alice, [], cancellationToken: Cancellation));
        await Assert.ThrowsAsync<ArgumentException>(
            () => client.ChangeUserAsync(
                s_alice, [UserChange.Decommission(), UserChange.RemoveDevice(s_phone)], cancellationToken: Cancellation));
        await Assert.ThrowsAsync<ArgumentException>(
            () => client.ChangeUserAsync(s_alice, [UserChange.RemoveDevice(tooLong)], cancellationToken: Cancellation));
        await Assert.ThrowsAsync<ArgumentException>(
            () => client.CreateUserAsync([s_alice], [], Guid.Parse("00000000-0000-4000-8000-000000000000"), Cancellation));

        Assert.Empty(fixture.Server.Requests);
        Assert.Equal((0, 0), (store.Current.OwnPersons.Count, store.Current.OwnKeys.Count));
    }

    [Theory]
    [InlineData("as asked", UpdateConfirmation.Confirmed)]
    [InlineData("nobody", UpdateConfirmation.Contradicted)]
    [InlineData("another user", UpdateConfirmation.Contradicted)]
    [InlineData("second name nobody", UpdateConfirmation.Contradicted)]
    [InlineData("older list", UpdateConfirmation.Contradicted)]
    [InlineData("no list named", UpdateConfirmation.Contradicted)]
    [InlineData("no key named", UpdateConfirmation.Contradicted)]
    [InlineData("not listed", UpdateConfirmation.Contradicted)]
    [InlineData("ghost on the named list", UpdateConfirmation.Contradicted)]
    [InlineData("other device left with it", UpdateConfirmation.Contradicted)]
    [InlineData("list of another epoch", UpdateConfirmation.Contradicted)]
    [InlineData("key of another epoch", UpdateConfirmation.Contradicted)]
    [InlineData("list before unknown", UpdateConfirmation.Unproven)]
    [InlineData("list before unknown, history", UpdateConfirmation.Confirmed)]
    [InlineData("list before unknown, other history", UpdateConfirmation.Contradicted)]
    [InlineData("removed since", UpdateConfirmation.Unproven)]
    [InlineData("left since", UpdateConfirmation.Unproven)]
    [InlineData("older version", UpdateConfirmation.Contradicted)]
    [InlineData("other value", UpdateConfirmation.Contradicted)]
    [InlineData("later version", UpdateConfirmation.Unproven)]
    [InlineData("later version, history", UpdateConfirmation.Confirmed)]
    [InlineData("later version, other history", UpdateConfirmation.Contradicted)]
    [InlineData("later version, erased", UpdateConfirmation.Unproven)]
    [InlineData("still a device", UpdateConfirmation.Contradicted)]
    [InlineData("later list", UpdateConfirmation.Unproven)]
    [InlineData("later list, history", UpdateConfirmation.Confirmed)]
    [InlineData("later list, other history", UpdateConfirmation.Contradicted)]
    [InlineData("later list, ghost and history", UpdateConfirmation.Contradicted)]
    [InlineData("later list, erased", UpdateConfirmation.Unproven)]
    public void What_the_log_shows_confirms_a_request_or_does_not(string what, UpdateConfirmation confirmation)
    {
        byte[] user = "id"u8.ToArray();
        PublishedKey list = new(user, new KeyVersionNumber(0, 2), StructureId.Devices);
        PublishedKey key = new(s_phone, new KeyVersionNumber(0, 1), StructureId.Keys);
        bool later = what.StartsWith("later version", StringComparison.Ordinal);
        bool laterList = what.StartsWith("later list", StringComparison.Ordinal);
        var shown = new List<UserDevice> { new(
            s_phone, what == "older version" ? 0UL : later ? 2UL : 1UL, 5, what == "other value" || later ? s_two : s_one, false) };
        if (what is "not listed" or "removed since" or "left since")
        {
            shown.Clear();
        }
        if (what == "key of another epoch")
        {
            shown[0] = shown[0] with { PublishedEpoch = 4 };
        }
        if (what == "ghost on the named list")
        {
            shown.Insert(0, Device("ghost"u8.ToArray()));
        }
        if (what == "still a device")
        {
            shown.Insert(0, new UserDevice(s_laptop, 1, 4, s_two, false));
        }
        UserLookupResult now = Shown(s_alice, what switch { "nobody" => null, "another user" => s_two, _ => user }) with
        {
            ListEpoch = what switch { "list of another epoch" => 4, "removed since" or "left since" => 7, _ => laterList ? 7UL : 5 },
            ListVersion = what switch { "older list" => 1, "removed since" => 3, "left since" => 0, _ => laterList ? 3UL : 2 },
            HasLeft = what == "left since",
            Devices = shown,
        };
        var result = new UserUpdateResult
        {
            Username = s_alice,
            User = user,
            Changes = [UserChange.AddDevice(s_phone, s_one), UserChange.AddUsername("al"u8.ToArray()), UserChange.RemoveDevice(s_laptop)],
            RequestId = Guid.CreateVersion7(),
            Status = UpdateStatus.Published,
            Epoch = 5,
            Items = [.. ((PublishedKey[])[list, key]).Where(item => what != "no list named" || item != list)
                .Where(item => what != "no key named" || item != key)],
            Lookups = [now, Shown("al"u8.ToArray(), what == "second name nobody" ? null : user)],
        };
        var histories = new Dictionary<string, ReadOnlyMemory<byte>?>();
        if (later && what != "later version")
        {
            histories[Base64UrlText.Encode(s_phone)] = what switch
            {
                "later version, erased" => default(ReadOnlyMemory<byte>?),
                "later version, history" => s_one,
                _ => s_two
            };
        }

        // The request removes the device "laptop", which was on the previous version of the list.
        var lists = new KnownLists();
        if (!what.StartsWith("list before unknown", StringComparison.Ordinal))
        {
            lists.With(
                Shown(s_alice, user) with
                {
                    ListVersion = 1,
                    Devices = [Device(s_laptop),
                        .. what == "other device left with it" ? [Device("watch"u8.ToArray())] : Array.Empty<UserDevice>()],
                });
        }
        lists.With(now);
        KeyVersionNumber? missing = UserConfirmation.MissingList(result, lists);
        ReadOnlyMemory<byte>[]? second = what switch
        {
            "later list, other history" => [s_laptop, s_phone],
            "later list, ghost and history" => ["ghost"u8.ToArray(), s_phone],
            "later list, erased" => null,
            _ => [s_phone],
        };
        if (what.EndsWith("history", StringComparison.Ordinal) || what == "later list, erased")
        {
            ReadOnlyMemory<byte>[] first = what == "list before unknown, other history" ? [s_laptop, "watch"u8.ToArray()] : [s_laptop];
            lists.With(
                new UserHistoryResult(new Outcome(Reason.Valid, now.Head))
                {
                    Username = s_alice,
                    Lists = [new UserListVersion(1, 4, first), new UserListVersion(2, 5, second)],
                });
        }

        UserUpdateResult judged = UserConfirmation.Judge(
            result, histories, lists, out IReadOnlyList<(KeyName Device, KeyVersionNumber Version)> hidden);

        Assert.Equal((confirmation, confirmation == UpdateConfirmation.Confirmed), (judged.Confirmation, judged.Detail is null));
        Assert.Equal(what == "later version" ? 1 : 0, hidden.Count);
        Assert.Equal(laterList || what is "removed since" or "older list" || what.StartsWith("list before", StringComparison.Ordinal)
            ? new KeyVersionNumber(0, 2)
            : default(KeyVersionNumber?), missing);
    }

    [Theory]
    [InlineData("as asked", UpdateConfirmation.Confirmed)]
    [InlineData("names a list", UpdateConfirmation.Contradicted)]
    [InlineData("a list of its epoch", UpdateConfirmation.Contradicted)]
    public void A_list_that_nobody_asked_for_contradicts_a_request(string what, UpdateConfirmation confirmation)
    {
        byte[] user = "id"u8.ToArray();
        PublishedKey key = new(s_phone, new KeyVersionNumber(0, 1), StructureId.Keys);
        PublishedKey list = new(user, new KeyVersionNumber(0, 2), StructureId.Devices);
        var result = new UserUpdateResult
        {
            Username = s_alice,
            User = user,
            Changes = [UserChange.SetDevice(s_phone, s_one)],
            RequestId = Guid.CreateVersion7(),
            Status = UpdateStatus.Published,
            Epoch = 5,
            Items = what == "names a list" ? [key, list] : [key],
            Lookups = [Shown(s_alice, user) with
            {
                ListVersion = 2,
                ListEpoch = what == "a list of its epoch" ? 5UL : 4,
                Devices = [Device(s_phone)],
            }],
        };
        Assert.Equal(confirmation,
            UserConfirmation.Judge(result, new Dictionary<string, ReadOnlyMemory<byte>?>(), new KnownLists().With(result.Lookups[0]),
                out _).Confirmation);
    }

    [Theory]
    [InlineData(true, UpdateConfirmation.Confirmed)]
    [InlineData(false, UpdateConfirmation.Contradicted)]
    public void Leaving_is_confirmed_by_the_entry_that_says_so(bool hasLeft, UpdateConfirmation confirmation)
    {
        byte[] user = "id"u8.ToArray();
        var result = new UserUpdateResult
        {
            Username = s_alice,
            User = user,
            Changes = [UserChange.Decommission()],
            RequestId = Guid.CreateVersion7(),
            Status = UpdateStatus.Published,
            Epoch = 5,
            Lookups = [Shown(s_alice, user) with { HasLeft = hasLeft, ListVersion = hasLeft ? 0UL : 1UL }],
        };
        Assert.Equal(confirmation,
            UserConfirmation.Judge(result, new Dictionary<string, ReadOnlyMemory<byte>?>(), new KnownLists(), out _).Confirmation);
    }

    [Theory]
    [InlineData("dropped", UpdateConfirmation.Contradicted)]
    [InlineData("done", UpdateConfirmation.Confirmed)]
    [InlineData("no history", UpdateConfirmation.Unproven)]
    [InlineData("dropped, period ended", UpdateConfirmation.Contradicted)]
    [InlineData("done, period ended", UpdateConfirmation.Confirmed)]
    public async Task A_removal_is_confirmed_by_the_list_that_the_server_names_and_by_no_later_one(
        string what, UpdateConfirmation confirmation)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        ReadOnlyMemory<byte> user = await UserAttackTests.CreateAsync(fixture, client, "phone");
        await client.ChangeUserAsync(s_alice, [UserChange.AddDevice(s_laptop, s_one)], cancellationToken: Cancellation);
        fixture.PublishItems(FixtureItem.List(user, "laptop", "phone"), FixtureItem.Device("laptop", "one"));
        UserUpdateResult pending =
            await client.ChangeUserAsync(s_alice, [UserChange.RemoveDevice(s_phone)], cancellationToken: Cancellation);
        // In every case, a later list has the requested devices. So only the list version that the server names tells whether the log
        // applied the request.
        fixture.PublishItems(what.StartsWith("dropped", StringComparison.Ordinal)
            ? FixtureItem.List(user, "ghost", "laptop", "phone")
            : FixtureItem.List(user, "laptop"));
        ulong epoch = fixture.Log.Latest;
        if (what.EndsWith("period ended", StringComparison.Ordinal))
        {
            fixture.Switch(
                copies =>
                    [.. copies.Select(copy =>
                        copy.Structure == StructureId.Devices ? copy with { Value = FixtureItem.List(user, "laptop").Value } : copy)]);
        }
        else
        {
            fixture.PublishItems(FixtureItem.List(user, "laptop"));
        }
        fixture.Server.Refuse = path => path == "/v1/users/monitor" && what == "no history" ? (403, "forbidden") : null;
        fixture.Server.UserStatus =
            $$"""{"request_id":"{{pending.RequestId}}","status":"published","epoch":{{epoch}},"items":[{"item":0,"structure":"devices","key_b64":"{{Base64UrlText.Encode(user.Span)}}","version":3,"period":0}]}""";

        UserUpdateResult done = await client.WaitAsync(pending, TimeSpan.FromSeconds(5), Cancellation);

        Assert.Equal((confirmation, confirmation == UpdateConfirmation.Confirmed), (done.Confirmation, done.Detail is null));
    }

    private static UserDevice Device(byte[] id) => new(id, 1, 5, s_one, false);

    private static UserLookupResult Shown(byte[] username, byte[]? user) =>
        new(new Outcome(Reason.Valid, new HeadInfo(5, 0, DateTimeOffset.UnixEpoch, 6)))
        {
            // Return null explicitly, because a null array would be converted implicitly to empty octets.
            Username = username,
            User = user is null ? default(ReadOnlyMemory<byte>?) : user,
            Epoch = 5,
        };
}
