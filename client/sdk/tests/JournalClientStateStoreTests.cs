using System.Collections.Immutable;
using System.Globalization;
using System.Text;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>Tests what a store of records writes for a change of the state (docs/spec/client-state.md).</summary>
public sealed class JournalClientStateStoreTests
{
    [Fact]
    public async Task A_change_of_one_key_costs_the_same_however_many_keys_are_known()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        Assert.True(store.TryUpdate(state => See(state, 0, 10_000, 1), [Value(1)]));
        FileInfo file = new(fixture.Folder.In("client/state.journal"));
        Assert.InRange(file.Length, 10_000 * 100, 10_000 * 300);
        long before = file.Length;
        for (ulong version = 2; version < 12; version++)
        {
            Assert.True(store.TryUpdate(state => See(state, 500, 1, version), [Value(version)]));
        }
        file.Refresh();
        Assert.InRange(file.Length - before, 10 * 200, 10 * 300);
        store.Dispose();
        using JournalClientStateStore reopened = await fixture.OpenStoreAsync();
        Assert.Equal((10_000, 11UL), (reopened.Current.Chains.Count, reopened.Current.SeenOf(Key(500))!.At.Version));
    }

    [Fact]
    public async Task A_state_that_is_equal_is_not_written()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        Assert.True(store.TryUpdate(state => See(state, 0, 3, 1), [Value(1)]));
        byte[] file = File.ReadAllBytes(fixture.Folder.In("client/state.journal"));
        Assert.True(store.TryUpdate(state => state with { Chains = state.Chains.SetItem(Key(1), state.Chains[Key(1)] with { }) }, []));
        Assert.False(store.TryUpdate(_ => null, []));
        Assert.Equal(file, File.ReadAllBytes(fixture.Folder.In("client/state.journal")));
    }

    [Fact]
    public async Task Each_chain_has_its_own_value_and_takes_it_along()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        string hash = ValueHash.Of(Value(1));
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            Assert.True(store.TryUpdate(state => See(state, 0, 1, 1), [Value(1)]));
            // The second chain gets a copy of the octets that the first one has.
            Assert.True(store.TryUpdate(state => See(state, 1, 1, 1), []));
            Assert.True(store.TryUpdate(state => state.SetSeen(Key(0), null), []));
            Assert.Equal(Value(1), store.FindValue(hash));
        }
        Assert.Equal([ValueKey(1)], Values(fixture));
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            Assert.Equal(Value(1), store.FindValue(hash));
            // Nobody gives the octets of version 2, and the record must not keep those of version 1.
            Assert.True(store.TryUpdate(state => See(state, 1, 1, 2), [Value(7)]));
            Assert.Equal((null, null), (store.FindValue(hash), store.FindValue(ValueHash.Of(Value(2)))));
            Assert.Empty(Values(fixture));
            Assert.True(store.TryUpdate(state => See(state, 1, 2, 3), [Value(3), Value(4)]));
            Assert.Equal([ValueKey(1), ValueKey(2)], Values(fixture));
            Assert.Null(store.FindValue(ValueHash.Of(Value(4))));
        }
        using JournalClientStateStore reopened = await fixture.OpenStoreAsync();
        Assert.True(reopened.TryUpdate(state => state.SetSeen(Key(1), null).SetSeen(Key(2), null), []));
        Assert.Empty(StateEditor.Read(fixture.Folder.In("client")));
    }

    [Fact]
    public async Task A_value_that_its_record_no_longer_has_is_lost()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            Assert.True(store.TryUpdate(state => See(state, 0, 2, 1), [Value(1)]));
        }
        StateEditor.Put(fixture.Folder.In("client"), ValueKey(0), [1, .. Value(2)]);
        StateEditor.Put(fixture.Folder.In("client"), ValueKey(1), null);
        using JournalClientStateStore reopened = await fixture.OpenStoreAsync();
        Assert.Null(reopened.FindValue(ValueHash.Of(Value(1))));
        Assert.Null(reopened.FindValue(ValueHash.Of(Value(2))));
        Assert.True(reopened.TryUpdate(state => See(state, 0, 1, 3), [Value(3)]));
        Assert.Equal(Value(3), reopened.FindValue(ValueHash.Of(Value(3))));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Random_changes_are_read_back(int seed)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        // The random numbers need no secure source, because they are not secret, and a seed makes failures repeatable.
        var random = new Random(seed);
        JournalClientStateStore store = await fixture.OpenStoreAsync();
        for (int step = 0; step < 300; step++)
        {
            byte[] value = Value((ulong)random.Next(20));
            Assert.True(store.TryUpdate(state => Change(state, random, value), random.Next(4) == 0 ? [] : [value]));
            if (random.Next(10) != 0)
            {
                continue;
            }
            ClientState before = store.Current;
            string[] found = Found(store);
            store.Dispose();
            store = await fixture.OpenStoreAsync();
            Assert.Equal(StateEditor.Show(before), StateEditor.Show(store.Current));
            Assert.Equal(found, Found(store));
            HashSet<RecordKey> named = [.. ValueIndex.CollectNames(before).Select(name => name.Key)];
            Assert.All(Values(fixture), key => Assert.Contains(key, named));
        }
        store.Dispose();

        static string[] Found(JournalClientStateStore store) =>
            [.. store.Current.ValueNames().Where(name => store.FindValue(name) is not null).Distinct().Order(StringComparer.Ordinal)];
    }

    private static ClientState Change(ClientState state, Random random, byte[] value)
    {
        StructureKey key = Key(random.Next(8));
        string hash = ValueHash.Of(value);
        var cursor = new Cursor { Period = 0, Version = (ulong)random.Next(1, 9), Time = 1, ValueSha256 = hash };
        switch (random.Next(9))
        {
            case 0 or 1:
                return state.SetSeen(key, new Seen { LeastEpoch = (ulong)random.Next(9), At = cursor });
            case 2:
                return state.SetSeen(key, null);
            case 3:
                return state.SetOwn(key, random.Next(3) == 0 ? null : new Own { At = cursor, Alarms = [new Alarm(0, 1, 2, hash)] });
            case 4:
                byte[] list = random.Next(2) == 0 ? [0, 0, 0] : [0, 0, 2, 1, (byte)random.Next(9)];
                Own own = new() { At = cursor with { ValueSha256 = ValueHash.Of(list) }, List = list };
                return state.SetOwn(StructureKey.OfList(key.Id), DeviceList.TryDecode(list, out _) ? own : null);
            case 5:
                return state.SetOwnPerson(key.Id, new OwnPerson { Names = [key.Id], GoesOnFrom = (ulong)random.Next(3) });
            case 6:
                var name = new NameState { LeastEpoch = (ulong)random.Next(9), User = key.Id };
                return state with { Names = random.Next(3) == 0 ? state.Names.Remove(key.Id) : state.Names.SetItem(key.Id, name) };
            case 7:
                ImmutableArray<KeptLeaf> leaves = [.. Enumerable.Range(1, random.Next(1, 5))
                    .Select(version => new KeptLeaf(0, (ulong)version, true, 1, ValueHash.Of(Value((ulong)random.Next(20)))))];
                return state with { Leaves = random.Next(3) == 0 ? state.Leaves.Remove(key) : state.Leaves.SetItem(key, leaves) };
            default:
                ImmutableArray<KeptNote> notes = state.Notes.GetValueOrDefault(key.Id, []);
                byte[] note = new OwnerNote((ulong)notes.Length + 1, value).Encode();
                return state with { Notes = state.Notes.SetItem(key.Id, notes.Add(new KeptNote(Guid.Empty, new byte[16], note, hash))) };
        }
    }

    // Returns the state after answers that showed a version of these keys. Each version has its own value.
    private static ClientState See(ClientState state, int first, int count, ulong version)
    {
        string hash = ValueHash.Of(Value(version));
        return state with
        {
            Chains = state.Chains.SetItems(Enumerable.Range(first, count).Select(i => KeyValuePair.Create(Key(i), new Chain
            {
                Seen = new Seen
                {
                    LeastEpoch = version,
                    At = new Cursor { Period = 0, Version = version, Time = version, AbsentEpoch = version, ValueSha256 = hash },
                    PublishedEpoch = version,
                },
            }))),
        };
    }

    private static byte[] Value(ulong number) => Encoding.UTF8.GetBytes($"value {number.ToString(CultureInfo.InvariantCulture)}");

    private static StructureKey Key(int number) => StructureKey.OfKey(Base64UrlText.Encode(Encoding.UTF8.GetBytes($"key {number}")));

    private static RecordKey ValueKey(int number) => RecordKeys.ForStructure(RecordKind.Value, Key(number));

    private static IEnumerable<RecordKey> Values(Fixture fixture) => StateEditor.Read(fixture.Folder.In("client")).Keys
        .Where(key => key.Kind is RecordKind.Value or RecordKind.Leaf).Order();
}
