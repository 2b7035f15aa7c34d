using System.Buffers;
using System.Buffers.Binary;

namespace Optiks.Native;

/// <summary>
/// Provides the buffer into which the native library writes an answer of unknown length. The buffer is a span of an output writer, which
/// begins with room for a vector's length prefix. If the buffer is too small, the caller requests a larger buffer.
/// </summary>
internal ref struct AnswerRoom
{
    private readonly IBufferWriter<byte> _output;
    private readonly int _prefix;
    private Span<byte> _span;

    /// <summary>Requests room for a prefix of 0 or 4 bytes. The parameter <paramref name="expected"/> is the number of bytes of room after
    /// the prefix.</summary>
    public AnswerRoom(IBufferWriter<byte> output, int prefix, int expected)
    {
        _output = output;
        _prefix = prefix;
        _span = output.GetSpan(prefix + expected);
    }

    /// <summary>The part of the buffer after the prefix.</summary>
    public readonly Span<byte> Span => _span[_prefix..];

    /// <summary>
    /// Returns whether the native call found too little room. If it did, this method has requested enough room, and the caller repeats the
    /// call.
    /// </summary>
    public bool Grown(int status, nuint length)
    {
        if (status != (int)NativeStatus.Buffer)
        {
            return false;
        }
        _span = _output.GetSpan(checked(_prefix + (int)length));
        return true;
    }

    /// <summary>
    /// Reads the latest version of each key from the structures that a native call wrote, one for each key. Each structure begins with the
    /// latest version. The parameter <paramref name="ends"/> holds the offset of each structure's end.
    /// </summary>
    public readonly void ReadVersions(ReadOnlySpan<ulong> ends, Span<ulong> versions)
    {
        for (int i = 0; i < versions.Length; i++)
        {
            versions[i] = BinaryPrimitives.ReadUInt64BigEndian(Span[(i == 0 ? 0 : (int)ends[i - 1])..]);
        }
    }

    /// <summary>
    /// Advances the output writer by the length that a successful native call wrote, and returns the written length including the prefix.
    /// Throws if the native call failed.
    /// </summary>
    public readonly int Finish(int status, nuint length, string function)
    {
        OptiksNativeException.ThrowIfFailed(status, function);
        if (_prefix != 0)
        {
            BinaryPrimitives.WriteUInt32BigEndian(_span, (uint)length);
        }
        int written = _prefix + (int)length;
        _output.Advance(written);
        return written;
    }
}
