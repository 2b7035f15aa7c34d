namespace Optiks.Protocol;

/// <summary>AnswerHead ties an answer to a checkpoint (docs/spec/board.md section 4, Head). Decoded for display; slices of the input.</summary>
/// <param name="Record">The epoch record, encoded.</param>
/// <param name="Inclusion">Hashes of its inclusion proof, 32 octets each.</param>
/// <param name="Consistency">Hashes of the consistency proof, 32 octets each.</param>
/// <param name="Checkpoint">The signed note; empty: the one that the client named.</param>
public sealed record AnswerHead(ReadOnlyMemory<byte> Record, ReadOnlyMemory<byte> Inclusion, ReadOnlyMemory<byte> Consistency, ReadOnlyMemory<byte> Checkpoint)
{
    /// <summary>Decode reads a whole Head. Throws <see cref="EncodingException"/>.</summary>
    public static AnswerHead Decode(ReadOnlyMemory<byte> octets)
    {
        var reader = new TlsReader(octets);
        AnswerHead head = Decode(ref reader);
        reader.End("head");
        return head;
    }

    /// <summary>OctetsOf are those of the Head at the start of a whole answer. Throws <see cref="EncodingException"/>.</summary>
    public static ReadOnlyMemory<byte> OctetsOf(ReadOnlyMemory<byte> answer)
    {
        const int Prefixes = 3 * sizeof(ushort);
        var reader = new TlsReader(answer);
        AnswerHead head = Decode(ref reader);
        return answer[..(head.Record.Length + head.Inclusion.Length + head.Consistency.Length + head.Checkpoint.Length + Prefixes)];
    }

    /// <summary>Encode gives the octets of the Head. Throws <see cref="ArgumentOutOfRangeException"/> for a part that is too long.</summary>
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
