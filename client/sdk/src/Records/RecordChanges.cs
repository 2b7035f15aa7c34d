using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Lists what a commit writes and drops: each list in the order of its keys, and no key twice. Encodes and decodes the structure Changes of
/// docs/spec/client-state.md section 4.
/// </summary>
internal sealed record RecordChanges(IReadOnlyList<RecordPut> Puts, IReadOnlyList<RecordKey> Deletes)
{
    /// <summary>The number of octets before the first put.</summary>
    public const int PutsOffset = sizeof(uint);

    private const int DeletesLength = 3;
    private const uint MaxDeletes = 0xFF_FFFF;

    /// <summary>Sorts changes. Throws <see cref="ArgumentException"/> if a key has two changes.</summary>
    public static RecordChanges Sort(IEnumerable<RecordPut> puts, IEnumerable<RecordKey> deletes)
    {
        var changes = new RecordChanges([.. puts.OrderBy(put => put.Key)], [.. deletes.Order()]);
        return changes.IsSorted() ? changes : throw new ArgumentException("A key has two changes.");
    }

    public byte[] Encode()
    {
        var puts = new TlsWriter();
        foreach (RecordPut put in Puts)
        {
            puts.Vector(RecordKey.MaxLength, put.Key.Octets);
            puts.Vector(RecordPut.MaxBody, put.Body);
        }
        var deletes = new TlsWriter();
        foreach (RecordKey key in Deletes)
        {
            deletes.Vector(RecordKey.MaxLength, key.Octets);
        }
        var all = new TlsWriter();
        all.Vector(uint.MaxValue, puts.ToArray());
        all.Vector(MaxDeletes, deletes.ToArray());
        return all.ToArray();
    }

    /// <summary>
    /// Decodes changes; the bodies are slices of the input. Throws <see cref="EncodingException"/> if the octets are not exactly one
    /// structure with sorted keys.
    /// </summary>
    public static RecordChanges Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        List<RecordPut> puts = reader.Vector(0, uint.MaxValue, "puts", (ref TlsReader put) =>
            new RecordPut(ReadKey(ref put), put.Vector(1, RecordPut.MaxBody, "body")));
        List<RecordKey> deletes = reader.Vector(0, MaxDeletes, "deletes", ReadKey);
        reader.End("changes");
        var changes = new RecordChanges(puts, deletes);
        return changes.IsSorted() ? changes : throw new EncodingException("The keys of a commit are not in order.");
    }

    /// <summary>Returns the number of octets that a put has in an encoding.</summary>
    public static int GetLength(RecordKey key, int body) => 2 + key.Octets.Length + 3 + body;

    /// <summary>Returns the length of the encoding.</summary>
    public long GetLength() =>
        PutsOffset + DeletesLength + Puts.Sum(put => (long)GetLength(put.Key, put.Body.Length))
            + Deletes.Sum(key => 2L + key.Octets.Length);

    private static RecordKey ReadKey(ref TlsReader reader) => new(reader.Vector(1, RecordKey.MaxLength, "key").Span);

    private bool IsSorted()
    {
        for (int i = 1; i < Puts.Count; i++)
        {
            if (Puts[i - 1].Key.CompareTo(Puts[i].Key) >= 0)
            {
                return false;
            }
        }
        for (int i = 1; i < Deletes.Count; i++)
        {
            if (Deletes[i - 1].CompareTo(Deletes[i]) >= 0)
            {
                return false;
            }
        }
        var written = new HashSet<RecordKey>(Puts.Select(put => put.Key));
        return !Deletes.Any(written.Contains);
    }
}
