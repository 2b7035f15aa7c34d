using System.Buffers.Binary;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Makes and reads the keys of records (docs/spec/client-state.md section 2).</summary>
internal static class RecordKeys
{
    private const int LeafSuffix = sizeof(ulong) + sizeof(ulong) + 1;

    public static RecordKey Head { get; } = Single(RecordKind.Head);

    public static RecordKey Cosigners { get; } = Single(RecordKind.Cosigners);

    public static RecordKey Unaudited { get; } = Single(RecordKind.Unaudited);

    public static RecordKey Own { get; } = Single(RecordKind.Own);

    public static RecordKey Fork { get; } = Single(RecordKind.Fork);

    public static RecordKey ForEnd(ulong period) => new([(byte)RecordKind.End, .. Octets(period)]);

    /// <summary>Returns the key of a record that belongs to a key of a structure: a chain, a value or a list of leaves.</summary>
    public static RecordKey ForStructure(RecordKind kind, StructureKey key) =>
        new([(byte)kind, (byte)key.Structure, .. RecordBody.FromText(key.Id)]);

    /// <summary>Returns the key of a record that belongs to a name or a user: a name, a person or a list.</summary>
    public static RecordKey ForId(RecordKind kind, string id) => new([(byte)kind, .. RecordBody.FromText(id)]);

    public static RecordKey ForLeaf(StructureKey key, KeptLeaf leaf) =>
        new([(byte)RecordKind.Leaf, (byte)key.Structure, .. RecordBody.FromText(key.Id), .. Octets(leaf.Period), .. Octets(leaf.Version),
            leaf.IsPresent ? (byte)1 : (byte)0]);

    public static RecordKey ForNote(string key, ulong sequence) =>
        new([(byte)RecordKind.Note, .. RecordBody.FromText(key), .. Octets(sequence)]);

    public static ulong ReadEnd(RecordKey key) => ReadNumber(Require(key, 1 + sizeof(ulong), 1 + sizeof(ulong)).Octets.Span[1..]);

    public static StructureKey ReadStructure(RecordKey key) => ReadStructure(key, 0);

    public static string ReadId(RecordKey key) =>
        Base64UrlText.Encode(Require(key, 2, 1 + ProtocolLimits.MaxKeyLength).Octets.Span[1..]);

    public static (string Key, ulong Sequence) ReadNote(RecordKey key)
    {
        ReadOnlySpan<byte> octets = Require(key, 2 + sizeof(ulong), 1 + ProtocolLimits.MaxKeyLength + sizeof(ulong)).Octets.Span;
        return (Base64UrlText.Encode(octets[1..^sizeof(ulong)]), ReadNumber(octets[^sizeof(ulong)..]));
    }

    public static (StructureKey Key, ulong Period, ulong Version, bool IsPresent) ReadLeaf(RecordKey key)
    {
        StructureKey structure = ReadStructure(key, LeafSuffix);
        ReadOnlySpan<byte> suffix = key.Octets.Span[^LeafSuffix..];
        return suffix[^1] <= 1
            ? (structure, ReadNumber(suffix), ReadNumber(suffix[sizeof(ulong)..]), suffix[^1] == 1)
            : throw new EncodingException(Reason.MalformedEnum, "leaf");
    }

    /// <summary>Throws <see cref="EncodingException"/> if the key is longer than its kind.</summary>
    public static void RequireSingle(RecordKey key) => _ = Require(key, 1, 1);

    private static RecordKey Single(RecordKind kind) => new([(byte)kind]);

    private static byte[] Octets(ulong number)
    {
        byte[] octets = new byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64BigEndian(octets, number);
        return octets;
    }

    private static ulong ReadNumber(ReadOnlySpan<byte> octets) => BinaryPrimitives.ReadUInt64BigEndian(octets);

    private static StructureKey ReadStructure(RecordKey key, int suffix)
    {
        ReadOnlySpan<byte> octets = Require(key, 3 + suffix, 2 + ProtocolLimits.MaxKeyLength + suffix).Octets.Span;
        var structure = (StructureId)octets[1];
        return structure is >= StructureId.Usernames and <= StructureId.Decommissioned
            ? new StructureKey(structure, Base64UrlText.Encode(octets[2..^suffix]))
            : throw new EncodingException(Reason.MalformedEnum, "structure");
    }

    private static RecordKey Require(RecordKey key, int least, int most) => key.Octets.Length >= least && key.Octets.Length <= most
        ? key
        : throw new EncodingException(Reason.MalformedLength, "key");
}
