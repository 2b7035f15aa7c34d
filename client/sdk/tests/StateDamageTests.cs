using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>
/// Tests that a stored state is refused if one of its records is not what the client writes, although all hashes of the journal are right
/// (docs/spec/client-state.md section 3).
/// </summary>
public sealed class StateDamageTests
{
    private const string Alice = "YWxpY2U";
    private static readonly StructureKey s_list = StructureKey.OfList(Alice);
    private static readonly StructureKey s_key = StructureKey.OfKey(Alice);
    private static readonly string s_hash = ValueHash.Of("one"u8);
    private static readonly Seen s_seen = new()
    {
        LeastEpoch = 1,
        At = new Cursor { Period = 0, Version = 1, Time = 1, ValueSha256 = s_hash },
    };
    private static readonly Own s_missed = new() { NoGuarantee = [new Missed(0, 2, 1)] };

    private static readonly Dictionary<string, Func<ClientState, ClientState>> s_faults = new(StringComparer.Ordinal)
    {
        ["a user who has left has a list"] = state =>
            state.SetSeen(s_list, s_seen).SetPerson(Alice, new Person { LeftEpoch = 1 }),
        ["a list without a version"] = state => state.SetSeen(s_list, s_seen with { At = new Cursor { Period = 0 } }),
        ["a list without a value"] = state => state.SetSeen(s_list, s_seen with { At = s_seen.At with { ValueSha256 = null } }),
        ["an empty chain"] = state => state with { Chains = state.Chains.SetItem(s_key, new Chain()) },
        ["a chain of usernames"] = state => state.SetSeen(new StructureKey(StructureId.Usernames, Alice), s_seen),
        ["an empty person"] = state => state.SetPerson(Alice, new Person()),
        ["a user id that is too long"] = state => state with
        {
            Names = state.Names.SetItem("Ym9i", new NameState { LeastEpoch = 1, User = Base64UrlText.Encode(new byte[255]), Generation = 1 }),
        },
        ["a generation in a log without generations"] = state => state with
        {
            Names = state.Names.SetItem("Ym9i", new NameState { LeastEpoch = 1, User = Alice, Generation = 1 }),
        },
        ["a list that cannot be decoded"] = state => Owned(state, [0, 1, 2], ValueHash.Of([0, 1, 2])),
        ["a list of another hash"] = state => Owned(state, [0, 0, 0], s_hash),
        ["a list that is missing"] = state => Owned(state, null, s_hash),
        ["a list without a cursor"] = state => state.SetOwn(s_list, new Own { List = [0, 0, 0] }),
        ["a key with a list"] = state => state with
        {
            Chains = state.Chains.SetItem(s_list, new Chain { Own = new Own { Expected = [new Expected(Guid.Empty, s_hash)] } }),
        },
        ["a change of a list at a key"] = state => state.SetOwn(s_key, new Own { Expected = [new Expected(Guid.Empty) { Added = [Alice] }] }),
        ["no guarantee for no epoch of a key"] = state => state.SetOwn(s_key, s_missed),
        ["no guarantee for no epoch of a list"] = state => state.SetOwn(s_list, s_missed),
        ["a belief without a head"] = state => state with
        {
            Unaudited = [new Belief(1, Base64UrlText.Encode(new byte[32]), 1, 1)],
        },
        ["an end without a head"] = state => state with { PeriodEnds = [new byte[EpochRecord.Length]] },
        ["two absent statements"] = state => state with
        {
            Leaves = state.Leaves.SetItem(s_key, [new KeptLeaf(0, 1, false, 1, s_hash), new KeptLeaf(0, 2, false, 1, s_hash)]),
        },
        ["seventeen statements"] = state => state with
        {
            Leaves = state.Leaves.SetItem(s_key, [.. Enumerable.Range(1, 17).Select(i => new KeptLeaf(0, (ulong)i, true, 1, s_hash))]),
        },
    };

    private static readonly Dictionary<string, (RecordKey Key, byte[]? Body)> s_records = new(StringComparer.Ordinal)
    {
        ["a kind of a later version"] = (new RecordKey([16]), [1]),
        ["kind 0"] = (new RecordKey([0]), [1]),
        ["a form of a later version"] = (RecordKeys.ForId(RecordKind.Name, "Ym9i"), [2, .. new byte[9]]),
        ["octets that are left"] = (RecordKeys.ForId(RecordKind.Name, "Ym9i"), [1, .. new byte[10]]),
        ["a name without an epoch"] = (RecordKeys.ForId(RecordKind.Name, "Ym9i"), [1]),
        ["a head with a longer key"] = (new RecordKey([2, 0]), [1]),
        ["a head that is cut"] = (RecordKeys.Head, [1, 0]),
        ["an end that is no record"] = (RecordKeys.ForEnd(0), [1, 0, 3, 0, 1, 2]),
        ["an end of another period"] = (RecordKeys.ForEnd(7), [1, 1, 0x86, .. new byte[390]]),
        ["a chain of no structure"] = (new RecordKey([7, 0, 1]), [1, 0, 0]),
        ["a chain without an id"] = (new RecordKey([7, 3]), [1, 0, 0]),
        ["a list of no chain"] = (RecordKeys.ForId(RecordKind.List, "Ym9i"), [1, 0, 0, 0]),
        ["a value of no chain"] = (RecordKeys.ForStructure(RecordKind.Value, s_key), [1, 0]),
        ["a statement that is not named"] = (RecordKeys.ForLeaf(s_key, new KeptLeaf(0, 1, true, 1, s_hash)), [1, 0]),
        ["a record of what is owned, and nothing is"] = (RecordKeys.Own, [1, .. new byte[6]]),
        ["a note that cannot be decoded"] = (RecordKeys.ForNote(Alice, 1), [1, .. new byte[32], 0, 0, 1, 0, .. new byte[32]]),
        ["a fork of another reason"] = (RecordKeys.Fork, [1, 2, 0, 1, (byte)'x']),
        ["a fork with a path that is not UTF-8"] = (RecordKeys.Fork, [1, 0, 0, 1, 0xFF]),
        ["cosigners that did not sign"] = (RecordKeys.Cosigners, [1, 0, 0, 47, 0, 1, (byte)'x', .. new byte[40], 0, 0, 1, 0]),
    };

    public static TheoryData<string> Faults => [.. s_faults.Keys];

    public static TheoryData<string> Records => [.. s_records.Keys];

    [Theory]
    [MemberData(nameof(Faults))]
    public async Task A_state_with_a_fault_is_neither_read_nor_written(string name)
    {
        await using Fixture fixture = await StartAsync();
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            ClientState before = store.Current;
            Assert.Throws<ClientStateException>(() => store.TryUpdate(s_faults[name], []));
            Assert.Same(before, store.Current);
        }
        (await fixture.OpenStoreAsync()).Dispose();
        StateEditor.Edit(fixture.Folder.In("client"), s_faults[name]);
        await RefuseAsync(fixture);
    }

    [Theory]
    [MemberData(nameof(Records))]
    public async Task A_record_that_is_no_record_is_refused(string name)
    {
        await using Fixture fixture = await StartAsync();
        StateEditor.Put(fixture.Folder.In("client"), s_records[name].Key, s_records[name].Body);
        await RefuseAsync(fixture);
    }

    [Fact]
    public async Task A_state_that_lacks_the_record_of_what_is_owned_is_refused()
    {
        await using Fixture fixture = await StartAsync();
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            Assert.True(store.TryUpdate(state => state.SetOwn(s_key, new Own()), []));
        }
        StateEditor.Put(fixture.Folder.In("client"), RecordKeys.Own, null);
        await RefuseAsync(fixture);
    }

    private static ClientState Owned(ClientState state, byte[]? list, string hash) =>
        state.SetOwn(s_list, new Own { At = new Cursor { Period = 0, Version = 1, Time = 1, ValueSha256 = hash }, List = list });

    private static async Task<Fixture> StartAsync()
    {
        Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        Assert.True(store.TryUpdate(
            state => state with { Names = state.Names.Add(Alice, new NameState { LeastEpoch = 1, User = Alice }) }, []));
        return fixture;
    }

    // The refused file stays as it is, so that a person can restore it or report it.
    private static async Task RefuseAsync(Fixture fixture)
    {
        string file = fixture.Folder.In("client/state.journal");
        byte[] damaged = File.ReadAllBytes(file);
        ClientStateException refused = await Assert.ThrowsAsync<ClientStateException>(() => fixture.OpenStoreAsync());
        Assert.Contains("is damaged", refused.Message, StringComparison.Ordinal);
        Assert.Equal(damaged, File.ReadAllBytes(file));
    }
}
