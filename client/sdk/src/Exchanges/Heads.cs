using System.Buffers.Binary;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Heads reads the two parts of an answer's head that evidence needs, also of answers that were refused.</summary>
internal static class Heads
{
    /// <summary>Record and checkpoint at the start of an answer that decodes (docs/spec/board.md section 4).</summary>
    public static (ReadOnlyMemory<byte> Record, ReadOnlyMemory<byte> Checkpoint) Peek(ReadOnlyMemory<byte> answer)
    {
        ReadOnlyMemory<byte> rest = answer[EpochRecord.Length..];
        Vector(ref rest);
        Vector(ref rest);
        return (answer[..EpochRecord.Length], Vector(ref rest));
    }

    /// <summary>Record of the epoch of <paramref name="kept"/> among the parts of an answer about users that decodes (docs/spec/users.md section 1); that of its head if none is.</summary>
    public static ReadOnlyMemory<byte> PeekPart(ReadOnlyMemory<byte> answer, ReadOnlySpan<byte> kept)
    {
        ulong epoch = EpochRecord.EpochOf(kept);
        return Records(answer).FirstOrDefault(record => EpochRecord.EpochOf(record.Span) == epoch, answer[..EpochRecord.Length]);
    }

    /// <summary>Earliest epoch of a record of an answer about users that decodes: of its head or of its parts.</summary>
    public static ulong Earliest(ReadOnlyMemory<byte> answer) => Records(answer).Select(record => EpochRecord.EpochOf(record.Span)).Append(EpochRecord.EpochOf(answer.Span[..EpochRecord.Length])).Min();

    /// <summary>TimeAt is the time of the record of an epoch in an answer about users that was verified: of its head or of its parts.</summary>
    public static ulong TimeAt(ReadOnlyMemory<byte> answer, ulong epoch) =>
        EpochRecord.Decode(Records(answer).Append(answer[..EpochRecord.Length]).First(record => EpochRecord.EpochOf(record.Span) == epoch).Span).TimeMs;

    // Of the parts.
    private static IEnumerable<ReadOnlyMemory<byte>> Records(ReadOnlyMemory<byte> answer)
    {
        ReadOnlyMemory<byte> rest = answer[EpochRecord.Length..];
        Vector(ref rest);
        Vector(ref rest);
        Vector(ref rest);
        for (ReadOnlyMemory<byte> parts = Vector(ref rest); !parts.IsEmpty;)
        {
            yield return parts[..EpochRecord.Length];
            parts = parts[EpochRecord.Length..];
            Vector(ref parts);
        }
    }

    private static ReadOnlyMemory<byte> Vector(ref ReadOnlyMemory<byte> rest)
    {
        int length = BinaryPrimitives.ReadUInt16BigEndian(rest.Span);
        ReadOnlyMemory<byte> contents = rest.Slice(2, length);
        rest = rest[(2 + length)..];
        return contents;
    }
}
