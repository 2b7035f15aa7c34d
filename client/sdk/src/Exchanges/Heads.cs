using System.Buffers.Binary;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Reads the two parts of an answer's head that evidence needs, even if the answer was refused.</summary>
internal static class Heads
{
    /// <summary>Returns the record and checkpoint at the start of an answer that decodes (docs/spec/board.md section 4).</summary>
    public static (ReadOnlyMemory<byte> Record, ReadOnlyMemory<byte> Checkpoint) Peek(ReadOnlyMemory<byte> answer)
    {
        ReadOnlyMemory<byte> rest = answer[EpochRecord.Length..];
        Vector(ref rest);
        Vector(ref rest);
        return (answer[..EpochRecord.Length], Vector(ref rest));
    }

    /// <summary>
    /// Searches the parts of an answer about users that decodes (docs/spec/users.md section 1). Returns the record of the part with the
    /// same epoch as the record passed as <paramref name="kept"/>, or the record of the answer's head if no part has that epoch.
    /// </summary>
    public static ReadOnlyMemory<byte> PeekPart(ReadOnlyMemory<byte> answer, ReadOnlySpan<byte> kept)
    {
        ulong epoch = EpochRecord.ReadEpoch(kept);
        return Records(answer).FirstOrDefault(record => EpochRecord.ReadEpoch(record.Span) == epoch, answer[..EpochRecord.Length]);
    }

    /// <summary>
    /// Returns the earliest epoch among all records of an answer about users that decodes: the record of the head and the records of the
    /// parts.
    /// </summary>
    public static ulong Earliest(ReadOnlyMemory<byte> answer) =>
        Records(answer).Select(record => EpochRecord.ReadEpoch(record.Span))
            .Append(EpochRecord.ReadEpoch(answer.Span[..EpochRecord.Length])).Min();

    /// <summary>Returns the time of an epoch, from its record in the head or in a part of a verified answer about users.</summary>
    public static ulong TimeAt(ReadOnlyMemory<byte> answer, ulong epoch) =>
        EpochRecord.Decode(
            Records(answer).Append(answer[..EpochRecord.Length]).First(record => EpochRecord.ReadEpoch(record.Span) == epoch).Span).TimeMs;

    // Returns the records of the answer's parts.
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
