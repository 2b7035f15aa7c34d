using System.Collections.Immutable;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Finds the records that differ between two states (docs/spec/client-state.md section 3). States share the entries that did not change, so
/// an entry that is the same object is not encoded.
/// </summary>
internal sealed class StateRecords
{
    private readonly Func<string, byte[]?> _findValue;
    private readonly Func<RecordKey, bool> _exists;
    private readonly List<RecordPut> _puts = [];
    private readonly List<RecordKey> _deletes = [];

    private StateRecords(Func<string, byte[]?> findValue, Func<RecordKey, bool> exists)
    {
        _findValue = findValue;
        _exists = exists;
    }

    /// <summary>
    /// Returns what a commit has to write and to drop. The function <paramref name="findValue"/> returns the octets with a SHA-256, and the
    /// function <paramref name="exists"/> tells whether a record is stored.
    /// </summary>
    public static RecordChanges Compare(
        ClientState before, ClientState after, Func<string, byte[]?> findValue, Func<RecordKey, bool> exists)
    {
        var records = new StateRecords(findValue, exists);
        records.AddLog(before, after);
        foreach (StructureKey key in Changed(before.Chains, after.Chains))
        {
            records.AddChain(key, before.Chains.GetValueOrDefault(key), after.Chains.GetValueOrDefault(key));
        }
        foreach (string name in Changed(before.Names, after.Names))
        {
            records.Add(RecordKeys.ForId(RecordKind.Name, name), before.Names.GetValueOrDefault(name), after.Names.GetValueOrDefault(name),
                PersonRecord.EncodeName);
        }
        foreach (string user in Changed(before.Persons, after.Persons))
        {
            records.Add(RecordKeys.ForId(RecordKind.Person, user), before.Persons.GetValueOrDefault(user),
                after.Persons.GetValueOrDefault(user), PersonRecord.Encode);
        }
        records.AddOwn(before, after);
        foreach (StructureKey key in Changed(before.Leaves, after.Leaves))
        {
            records.AddLeaves(key, before.Leaves.GetValueOrDefault(key, []), after.Leaves.GetValueOrDefault(key, []));
        }
        foreach (string key in Changed(before.Notes, after.Notes))
        {
            records.AddNotes(key, before.Notes.GetValueOrDefault(key, []), after.Notes.GetValueOrDefault(key, []));
        }
        return RecordChanges.Sort(records._puts, records._deletes);
    }

    /// <summary>Returns the keys whose entries differ between two dictionaries.</summary>
    public static IEnumerable<TKey> Changed<TKey, TValue>(
        ImmutableDictionary<TKey, TValue> before, ImmutableDictionary<TKey, TValue> after)
        where TKey : notnull
    {
        if (ReferenceEquals(before, after))
        {
            return [];
        }
        EqualityComparer<TValue> comparer = EqualityComparer<TValue>.Default;
        return after.Where(entry => !before.TryGetValue(entry.Key, out TValue? value) || !comparer.Equals(value, entry.Value))
            .Select(entry => entry.Key).Concat(before.Keys.Where(key => !after.ContainsKey(key)));
    }

    private void AddLog(ClientState before, ClientState after)
    {
        Add(RecordKeys.Head, before.Head, after.Head, LogRecord.EncodeHead);
        Add(RecordKeys.Fork, before.Fork, after.Fork, LogRecord.EncodeFork);
        if (!ReferenceEquals(before.Cosigners, after.Cosigners))
        {
            Add(RecordKeys.Cosigners, OrNull(before.Cosigners), OrNull(after.Cosigners), LogRecord.EncodeCosigners);
        }
        if (before.Unaudited != after.Unaudited)
        {
            Add(RecordKeys.Unaudited, before.Unaudited.IsEmpty ? null : before.Unaudited.AsEnumerable(),
                after.Unaudited.IsEmpty ? null : after.Unaudited, LogRecord.EncodeUnaudited);
        }
        if (before.PeriodEnds != after.PeriodEnds)
        {
            ImmutableDictionary<ulong, byte[]> ends = ByPeriod(before);
            ImmutableDictionary<ulong, byte[]> now = ByPeriod(after);
            foreach (ulong period in Changed(ends, now))
            {
                Add(RecordKeys.ForEnd(period), ends.GetValueOrDefault(period), now.GetValueOrDefault(period), LogRecord.EncodeEnd);
            }
        }

        static ImmutableDictionary<string, CosignerState>? OrNull(ImmutableDictionary<string, CosignerState> all) =>
            all.IsEmpty ? null : all;

        static ImmutableDictionary<ulong, byte[]> ByPeriod(ClientState state) =>
            state.PeriodEnds.ToImmutableDictionary(octets => EpochRecord.ReadPeriod(octets));
    }

    private void AddOwn(ClientState before, ClientState after)
    {
        if (!ReferenceEquals(before.OwnedChains, after.OwnedChains) || !ReferenceEquals(before.OwnedPersons, after.OwnedPersons))
        {
            AddOctets(RecordKeys.Own, OwnerRecord.EncodeIndex(before), OwnerRecord.EncodeIndex(after));
        }
    }

    private void AddChain(StructureKey key, Chain? before, Chain? after)
    {
        Add(RecordKeys.ForStructure(RecordKind.Chain, key), before, after, ChainRecord.Encode);
        AddValue(RecordKeys.ForStructure(RecordKind.Value, key), before?.Seen?.At.ValueSha256, after?.Seen?.At.ValueSha256);
        if (key.Structure == StructureId.Devices)
        {
            AddOctets(RecordKeys.ForId(RecordKind.List, key.Id), EncodeList(before), EncodeList(after));
        }

        static byte[]? EncodeList(Chain? chain) => chain?.Own?.List is { } list ? RecordBody.EncodeOctets(list) : null;
    }

    private void AddLeaves(StructureKey key, ImmutableArray<KeptLeaf> before, ImmutableArray<KeptLeaf> after)
    {
        AddOctets(RecordKeys.ForStructure(RecordKind.Leaves, key), Encode(before), Encode(after));
        var hashes = before.ToDictionary(leaf => RecordKeys.ForLeaf(key, leaf), leaf => leaf.Sha256);
        foreach (KeptLeaf leaf in after)
        {
            hashes.Remove(RecordKeys.ForLeaf(key, leaf), out string? hash);
            AddValue(RecordKeys.ForLeaf(key, leaf), hash, leaf.Sha256);
        }
        foreach ((RecordKey dropped, string hash) in hashes)
        {
            AddValue(dropped, hash, null);
        }

        static byte[]? Encode(ImmutableArray<KeptLeaf> leaves) => leaves.IsEmpty ? null : OwnerRecord.EncodeLeaves(leaves);
    }

    private void AddNotes(string key, ImmutableArray<KeptNote> before, ImmutableArray<KeptNote> after)
    {
        var kept = before.ToDictionary(OwnerRecord.ReadSequence);
        foreach (KeptNote note in after)
        {
            ulong sequence = OwnerRecord.ReadSequence(note);
            kept.Remove(sequence, out KeptNote? known);
            Add(RecordKeys.ForNote(key, sequence), known, note, OwnerRecord.EncodeNote);
        }
        _deletes.AddRange(kept.Keys.Select(sequence => RecordKeys.ForNote(key, sequence)));
    }

    // Writes octets that the state names by their hash. The state may name octets that no record holds: the client then does not know the
    // value, and asks for it again. A record must never hold other octets than those that are named.
    private void AddValue(RecordKey key, string? before, string? after)
    {
        bool isStored = _exists(key);
        if (isStored && after is not null && string.Equals(before, after, StringComparison.Ordinal))
        {
            return;
        }
        if (after is not null && _findValue(after) is { } octets)
        {
            _puts.Add(new RecordPut(key, RecordBody.EncodeOctets(octets)));
        }
        else if (isStored)
        {
            _deletes.Add(key);
        }
    }

    private void Add<T>(RecordKey key, T? before, T? after, Func<T, byte[]> encode)
        where T : class
    {
        if (!EqualityComparer<T>.Default.Equals(before, after))
        {
            AddOctets(key, before is null ? null : encode(before), after is null ? null : encode(after));
        }
    }

    private void AddOctets(RecordKey key, byte[]? before, byte[]? after)
    {
        if (after is null)
        {
            _deletes.AddRange(before is null ? [] : [key]);
        }
        else if (!after.AsSpan().SequenceEqual(before))
        {
            _puts.Add(new RecordPut(key, after));
        }
    }
}
