using System.Collections.Immutable;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Encodes and decodes the records that only owners have: which chains and users are owned, the names of kept leaf statements, and notes
/// (docs/spec/client-state.md section 3).
/// </summary>
internal static class OwnerRecord
{
    private const int HashLength = 32;
    private const uint MaxLeaves = 0xFFFF;

    /// <summary>Encodes the names of all chains and users that have an owner's part; null if there is nothing to name.</summary>
    public static byte[]? EncodeIndex(ClientState state)
    {
        if (state.OwnedChains.IsEmpty && state.OwnedPersons.IsEmpty)
        {
            return null;
        }
        return RecordBody.Encode(writer =>
        {
            writer.List(state.OwnedChains.OrderBy(key => RecordKeys.ForStructure(RecordKind.Chain, key)), (list, key) =>
            {
                list.UInt8((byte)key.Structure);
                list.Id(key.Id);
            });
            writer.Ids(state.OwnedPersons.OrderBy(id => RecordKeys.ForId(RecordKind.Person, id)));
        });
    }

    public static byte[] EncodeLeaves(IEnumerable<KeptLeaf> leaves) => RecordBody.Encode(writer =>
    {
        var all = new TlsWriter();
        foreach (KeptLeaf leaf in leaves)
        {
            all.UInt64(leaf.Period);
            all.UInt64(leaf.Version);
            all.Bool(leaf.IsPresent);
            all.UInt64(leaf.Epoch);
            all.Octets(RecordBody.FromHex(leaf.Sha256));
        }
        writer.Vector(MaxLeaves, all.ToArray());
    });

    public static ImmutableArray<KeptLeaf> DecodeLeaves(ReadOnlyMemory<byte> body) =>
        RecordBody.Decode<ImmutableArray<KeptLeaf>>(body, "leaves", (ref TlsReader reader) =>
            [.. reader.Vector(1, MaxLeaves, "leaves", (ref TlsReader list) => new KeptLeaf(
                list.UInt64("period"), list.UInt64("version"), list.ReadBool("present"), list.UInt64("epoch"),
                Convert.ToHexStringLower(list.Take(HashLength, "sha256").Span)))]);

    /// <summary>Returns the number of a note, which is a part of its record's key.</summary>
    public static ulong ReadSequence(KeptNote note) => OwnerNote.TryDecode(note.Note, out OwnerNote read)
        ? read.Sequence
        : throw new FormatException("A note cannot be decoded.");

    public static byte[] EncodeNote(KeptNote note) => RecordBody.Encode(writer =>
    {
        writer.Guid(note.RequestId);
        writer.Octets(note.Opening.Length == Lengths.Opening ? note.Opening : throw new FormatException("An opening has another length."));
        writer.Vector(RecordBody.MaxList, note.Note);
        writer.Octets(RecordBody.FromHex(note.ValueSha256));
    });

    public static KeptNote DecodeNote(ReadOnlyMemory<byte> body) => RecordBody.Decode(body, "note", (ref TlsReader reader) => new KeptNote(
        reader.ReadGuid("request"), reader.Take(Lengths.Opening, "opening").ToArray(),
        reader.Vector(1, RecordBody.MaxList, "note").ToArray(), Convert.ToHexStringLower(reader.Take(HashLength, "value").Span)));
}
