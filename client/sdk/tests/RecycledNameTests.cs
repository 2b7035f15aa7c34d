using System.Collections.Immutable;
using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>
/// Tests how a client handles a username that led to other users earlier (docs/spec/recycled-names.md). The Python reference wrote the
/// answers, and the client knows or owns some of these users.
/// </summary>
public sealed class RecycledNameTests : IDisposable
{
    private const string First = "id-first";
    private static readonly byte[] s_number = "+44 20"u8.ToArray();

    private readonly TemporaryFolder _folder = new();
    private readonly JsonDocument _file = Vectors.Read("users/generations.json");

    public void Dispose()
    {
        _file.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task A_result_shows_the_users_before()
    {
        MemoryClientStateStore store = Store();

        UserLookupResult found = await LookupAsync(store);

        Assert.True(found.IsRecycled);
        Assert.Equal("id-third", Text(found.User!.Value));
        Assert.Equal([(First, 1UL, 2UL), ("id-second", 4UL, 5UL)],
            found.EarlierUsers.Select(user => (Text(user.User), user.SinceEpoch, user.LeftEpoch)));
        NameState name = store.Current.Names.Single().Value;
        Assert.Equal((Id("id-third"), 3U), (name.User, name.Generation));
        // The state has only the current user, because nobody looked up the earlier users.
        Assert.Equal([Id("id-third")], store.Current.SeenLists.Keys);
        Assert.Empty(store.Current.Persons);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_name_that_was_passed_on_is_an_alarm_if_its_owner_did_not_ask_to_leave(bool asked)
    {
        MemoryClientStateStore store = Store();
        var owned = new OwnPerson
        {
            Names = [Id(s_number)],
            Leaving = asked ? [Guid.Empty] : [],
        };
        store.TryUpdate(state => state.SetOwnPerson(Id(First), owned), []);

        UserLookupResult found = await LookupAsync(store);

        OwnPerson after = store.Current.OwnPersons[Id(First)];
        Assert.Equal((true, true), (found.IsValid, after.HasLeft));
        UserAlarm[] alarms = [.. after.Alarms.Select(UserAlarm.OfPerson)];
        Assert.Equal(asked ? [] : [UserAlarmKind.Left], alarms.Select(alarm => alarm.Kind));
        Assert.Equal(alarms, found.Alarms);
        Assert.Empty(after.Leaving);
        Assert.NotNull(store.Current.LeftEpochOf(Id(First)));
    }

    [Fact]
    public async Task A_name_that_never_led_to_its_owner_is_an_alarm()
    {
        MemoryClientStateStore store = Store();
        store.TryUpdate(
            state => state.SetOwnPerson(Id("id-other"), new OwnPerson { Names = [Id(s_number)] }), []);

        Assert.Equal([UserAlarmKind.NameElsewhere], (await LookupAsync(store)).Alarms.Select(alarm => alarm.Kind));
    }

    [Fact]
    public async Task An_answer_that_is_older_than_what_is_known_of_an_earlier_user_is_stale()
    {
        MemoryClientStateStore store = Store();
        store.TryUpdate(state => state.SeeLeft(Id(First), 8), []);
        ClientState before = store.Current;

        Assert.Equal(Reason.Stale, (await LookupAsync(store)).Reason);
        Assert.Same(before, store.Current);
    }

    [Fact]
    public async Task A_client_does_not_go_back_to_an_earlier_user()
    {
        MemoryClientStateStore store = Store();
        Assert.True((await LookupAsync(store)).IsValid);
        ClientState before = store.Current;

        // Remove the kept head and the kept epochs, because they would reveal that the next answer is old.
        store.TryUpdate(
            state => state.ForgetUsers() with
            {
                Head = null,
                Names = state.Names.SetItem(Id(s_number), before.Names[Id(s_number)] with { LeastEpoch = 0 }),
            }, []);
        UserLookupResult old = await LookupAsync(store, "of_epoch_4");

        Assert.Equal(Reason.VersionRegressed, old.Reason);
        Assert.Equal(before.Names[Id(s_number)].Generation, store.Current.Names[Id(s_number)].Generation);
    }

    [Fact]
    public void A_user_of_a_generation_is_brought_whatever_auditors_cover_as_nothing_is_left_out_for_it()
    {
        using var cosigners = new TestCosigners();
        // The policy's auditor covers the log only from epoch 5 on, and the client has no checkpoint of the auditor yet.
        var coverage = new Coverage(
            cosigners.Anchor(1, TimeSpan.FromDays(1), ("a", 5)).Policy, ImmutableDictionary<string, CosignerState>.Empty);
        MemoryClientStateStore store = Store();
        foreach (uint? generation in (uint?[])[null, 3])
        {
            ClientState seen =
                store.Current with
                {
                    Names = store.Current.Names.SetItem(
                    Id(s_number), new NameState { LeastEpoch = 6, User = Id("id-third"), Generation = generation })
                };

            RememberedUser brought = RememberedUser.Of(KeyName.OfVerified(s_number), null, 0, seen, coverage, store);

            Assert.Equal((generation is null, generation ?? 0, false),
                (brought.Question.UserId.IsEmpty, brought.Question.Generation, brought.ProvenFrom is not null));
        }
    }

    private MemoryClientStateStore Store() => new(Vectors.Anchor(_file.RootElement.GetProperty("anchors")[0]), _folder.Path);

    private async Task<UserLookupResult> LookupAsync(MemoryClientStateStore store, string kind = "honest")
    {
        JsonElement vector = _file.RootElement.GetProperty("vectors").EnumerateArray().First(row =>
            row.GetProperty("kind").GetString() == kind
                && row.GetProperty("users")[0].GetProperty("username").GetString() == Convert.ToHexStringLower(s_number));
        using var http = new HttpClient(new Vectors.Answering(Vectors.Hex(vector, "answer"), MediaTypes.UserLookup));
        OptiksClient client = Vectors.Client(
            Vectors.Anchor(_file.RootElement.GetProperty("anchors")[vector.GetProperty("anchor").GetInt32()]), vector, store, http);
        return await client.LookupUserAsync(s_number, cancellationToken: TestContext.Current.CancellationToken);
    }

    private static string Text(ReadOnlyMemory<byte> octets) => System.Text.Encoding.UTF8.GetString(octets.Span);

    private static string Id(string text) => Id(System.Text.Encoding.UTF8.GetBytes(text));

    private static string Id(byte[] octets) => Base64UrlText.Encode(octets);
}
