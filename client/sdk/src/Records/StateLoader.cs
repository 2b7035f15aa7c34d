using System.Collections.Immutable;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Reads a state from its records (docs/spec/client-state.md section 3). Throws <see cref="EncodingException"/> for a faulty record.
/// </summary>
internal sealed class StateLoader
{
    private readonly ImmutableDictionary<StructureKey, Chain>.Builder _chains = ImmutableDictionary.CreateBuilder<StructureKey, Chain>();
    private readonly ImmutableDictionary<string, Person>.Builder _persons = ImmutableDictionary.CreateBuilder<string, Person>();
    private readonly ImmutableDictionary<string, NameState>.Builder _names = ImmutableDictionary.CreateBuilder<string, NameState>();
    private readonly ImmutableArray<byte[]>.Builder _ends = ImmutableArray.CreateBuilder<byte[]>();
    private readonly List<(string Key, KeptNote Note)> _notes = [];
    private readonly Dictionary<StructureKey, ImmutableArray<KeptLeaf>> _leaves = [];
    private readonly List<RecordKey> _values = [];
    private byte[]? _own;
    private ClientState _state;

    private StateLoader(string logId) => _state = new ClientState { LogId = logId };

    /// <summary>
    /// Reads a state. Checks that each record alone is well-formed and that no record lacks the record that names it; the caller makes the
    /// checks that need the trust anchor.
    /// </summary>
    public static ClientState Load(string logId, StateJournal journal)
    {
        var loader = new StateLoader(logId);
        // In the order of the keys, each chain comes before its list, and the notes of a key are in the order of their numbers.
        foreach (RecordKey key in journal.Keys.Order())
        {
            if (key.Kind is RecordKind.Value or RecordKind.Leaf)
            {
                loader._values.Add(key);
            }
            else
            {
                loader.Add(key, journal.Read(key)!);
            }
        }
        return loader.Finish();
    }

    private void Add(RecordKey key, byte[] body)
    {
        switch (key.Kind)
        {
            case RecordKind.Head:
                RecordKeys.RequireSingle(key);
                _state = _state with { Head = LogRecord.DecodeHead(body) };
                break;
            case RecordKind.End:
                byte[] end = LogRecord.DecodeEnd(body);
                Require(
                    end.Length == EpochRecord.Length && EpochRecord.ReadPeriod(end) == RecordKeys.ReadEnd(key),
                    "an end is of another period");
                _ends.Add(end);
                break;
            case RecordKind.Cosigners:
                RecordKeys.RequireSingle(key);
                _state = _state with { Cosigners = LogRecord.DecodeCosigners(body) };
                break;
            case RecordKind.Unaudited:
                RecordKeys.RequireSingle(key);
                _state = _state with { Unaudited = LogRecord.DecodeUnaudited(body) };
                break;
            case RecordKind.Own:
                RecordKeys.RequireSingle(key);
                _own = body;
                break;
            case RecordKind.Fork:
                RecordKeys.RequireSingle(key);
                _state = _state with { Fork = LogRecord.DecodeFork(body) };
                break;
            case RecordKind.Chain:
                _chains.Add(RecordKeys.ReadStructure(key), ChainRecord.Decode(body));
                break;
            case RecordKind.List:
                AddList(StructureKey.OfList(RecordKeys.ReadId(key)), RecordBody.DecodeOctets(body, "list"));
                break;
            case RecordKind.Name:
                _names.Add(RecordKeys.ReadId(key), PersonRecord.DecodeName(body));
                break;
            case RecordKind.Person:
                _persons.Add(RecordKeys.ReadId(key), PersonRecord.Decode(body));
                break;
            case RecordKind.Leaves:
                _leaves.Add(RecordKeys.ReadStructure(key), OwnerRecord.DecodeLeaves(body));
                break;
            case RecordKind.Note:
                AddNote(RecordKeys.ReadNote(key), body);
                break;
            default:
                throw new EncodingException($"a later version of this program wrote a record of kind {(byte)key.Kind}");
        }
    }

    private void AddList(StructureKey key, byte[] octets)
    {
        Require(_chains.TryGetValue(key, out Chain? chain) && chain.Own is not null, "a list belongs to no owned chain");
        _chains[key] = chain! with { Own = chain.Own! with { List = octets } };
    }

    private void AddNote((string Key, ulong Sequence) key, byte[] body)
    {
        KeptNote note = OwnerRecord.DecodeNote(body);
        Require(OwnerNote.TryDecode(note.Note, out OwnerNote read) && read.Sequence == key.Sequence, "a note has another number");
        _notes.Add((key.Key, note));
    }

    private ClientState Finish()
    {
        ClientState state = _state with
        {
            Chains = _chains.ToImmutable(),
            Persons = _persons.ToImmutable(),
            Names = _names.ToImmutable(),
            PeriodEnds = _ends.ToImmutable(),
            Leaves = _leaves.ToImmutableDictionary(),
            Notes = _notes.GroupBy(note => note.Key, StringComparer.Ordinal)
                .ToImmutableDictionary(notes => notes.Key, notes => notes.Select(note => note.Note).ToImmutableArray()),
        };
        Require((OwnerRecord.EncodeIndex(state) ?? []).AsSpan().SequenceEqual(_own), "the record of what is owned names something else");
        HashSet<RecordKey> named = [.. ValueIndex.CollectNames(state).Select(name => name.Key)];
        Require(_values.All(named.Contains), "a value or a statement is named by no other record");
        return state;
    }

    private static void Require(bool isRight, string fault)
    {
        if (!isRight)
        {
            throw new EncodingException(fault);
        }
    }
}
