namespace Optiks.Protocol;

/// <summary>
/// Ties an answer to a checkpoint (docs/spec/board.md section 4, Head). The head is decoded for display; its members are slices of the
/// input.
/// </summary>
/// <param name="Record">The epoch record, encoded.</param>
/// <param name="Inclusion">The hashes of the record's inclusion proof, 32 bytes each.</param>
/// <param name="Consistency">The hashes of the consistency proof, 32 bytes each.</param>
/// <param name="Checkpoint">The checkpoint's signed note; empty if it is the checkpoint that the client named.</param>
public sealed record AnswerHead(ReadOnlyMemory<byte> Record, ReadOnlyMemory<byte> Inclusion, ReadOnlyMemory<byte> Consistency, ReadOnlyMemory<byte> Checkpoint)
{
    /// <summary>Decodes a whole Head. Throws <see cref="EncodingException"/>.</summary>
    public static AnswerHead Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        AnswerHead head = Decode(ref reader);
        reader.End("head");
        return head;
    }

    /// <summary>Returns the bytes of the Head at the start of a whole answer. Throws <see cref="EncodingException"/>.</summary>
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
