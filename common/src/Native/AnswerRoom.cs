using System.Buffers;
using System.Buffers.Binary;

namespace Optiks.Native;

/// <summary>AnswerRoom is where the native library writes an answer of unknown length: a writer's span, behind room for the length prefix of a vector, asked for again when it is too small.</summary>
internal ref struct AnswerRoom
{
    private readonly IBufferWriter<byte> _output;
    private readonly int _prefix;
    private Span<byte> _span;

    /// <summary>AnswerRoom for <paramref name="expected"/> octets behind a prefix of 0 or 4.</summary>
    public AnswerRoom(IBufferWriter<byte> output, int prefix, int expected)
    {
        _output = output;
        _prefix = prefix;
        _span = output.GetSpan(prefix + expected);
    }

    /// <summary>Span behind the prefix.</summary>
    public readonly Span<byte> Span => _span[_prefix..];

    /// <summary>Grown says whether the call found too little room and is to be made again, now with enough.</summary>
    public bool Grown(int status, nuint length)
    {
        if (status != (int)NativeStatus.Buffer)
        {
            return false;
        }
        _span = _output.GetSpan(checked(_prefix + (int)length));
        return true;
    }

    /// <summary>ReadVersions reads the first member of each structure that a call wrote, whose ends it gave: the latest version of its key.</summary>
    public readonly void ReadVersions(ReadOnlySpan<ulong> ends, Span<ulong> versions)
    {
        for (int i = 0; i < versions.Length; i++)
        {
            versions[i] = BinaryPrimitives.ReadUInt64BigEndian(Span[(i == 0 ? 0 : (int)ends[i - 1])..]);
        }
    }

    /// <summary>Finish hands over what a call wrote that succeeded, and gives its length; throws what failed.</summary>
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
