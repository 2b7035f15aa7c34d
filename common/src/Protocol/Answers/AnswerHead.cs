namespace Optiks.Protocol;

/// <summary>
/// Holds a Head, which ties an answer to a checkpoint (docs/spec/board.md section 4). The Head is decoded for display; its members are
/// slices of the input.
/// </summary>
/// <param name="Record">The encoded epoch record.</param>
/// <param name="Inclusion">The hashes of the record's inclusion proof, 32 bytes each.</param>
/// <param name="Consistency">The hashes of the consistency proof, 32 bytes each.</param>
/// <param name="Checkpoint">The signed note of the checkpoint; empty if the request named this checkpoint, so that the client has
/// it.</param>
public sealed record AnswerHead(
    ReadOnlyMemory<byte> Record, ReadOnlyMemory<byte> Inclusion, ReadOnlyMemory<byte> Consistency, ReadOnlyMemory<byte> Checkpoint)
{
    /// <summary>Decodes bytes that are one Head. Throws <see cref="EncodingException"/> if the bytes are invalid.</summary>
    public static AnswerHead Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        AnswerHead head = Decode(ref reader);
        reader.End("head");
        return head;
    }

    /// <summary>Returns the bytes of the Head with which an answer begins. Throws <see cref="EncodingException"/> if the bytes are
    /// invalid.</summary>
    public static ReadOnlyMemory<byte> SliceHead(ReadOnlyMemory<byte> answer)
    {
        const int Prefixes = 3 * sizeof(ushort);
        var reader = new TlsReader(answer);
        AnswerHead head = Decode(ref reader);
        return answer[..(head.Record.Length + head.Inclusion.Length + head.Consistency.Length + head.Checkpoint.Length + Prefixes)];
    }

    /// <summary>Returns the bytes of the Head. Throws <see cref="ArgumentOutOfRangeException"/> if a part is too long.</summary>
    public byte[] Encode()
    {
        var writer = new TlsWriter();
        writer.Octets(Record);
        writer.Vector(Lengths.MaxLogProof, Inclusion);
        writer.Vector(Lengths.MaxLogProof, Consistency);
        writer.Vector(ushort.MaxValue, Checkpoint);
        return writer.ToArray();
    }

    internal static AnswerHead Decode(ref TlsReader reader) => new(
        reader.Take(EpochRecord.Length, "head.record"),
        reader.Vector(0, Lengths.MaxLogProof, "head.inclusion", Lengths.Hash),
        reader.Vector(0, Lengths.MaxLogProof, "head.consistency", Lengths.Hash),
        reader.Vector(0, ushort.MaxValue, "head.checkpoint"));
}
