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

    private static ReadOnlyMemory<byte> Vector(ref ReadOnlyMemory<byte> rest)
    {
        int length = BinaryPrimitives.ReadUInt16BigEndian(rest.Span);
        ReadOnlyMemory<byte> contents = rest.Slice(2, length);
        rest = rest[(2 + length)..];
        return contents;
    }
}
