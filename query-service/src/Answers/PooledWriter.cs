using System.Buffers;

namespace Optiks.QueryService.Answers;

/// <summary>PooledWriter collects an answer whose length must be known before its first octet is sent, in pooled memory. One thread at a time.</summary>
internal sealed class PooledWriter : IBufferWriter<byte>, IDisposable
{
    private byte[] _buffer;

    public PooledWriter(int capacity) => _buffer = ArrayPool<byte>.Shared.Rent(capacity);

    /// <summary>Length written so far.</summary>
    public int Length { get; private set; }

    /// <summary>Written octets, until the next write or Dispose.</summary>
    public Memory<byte> Written => _buffer.AsMemory(0, Length);

    /// <summary>Append copies octets to the end.</summary>
    public void Append(ReadOnlySpan<byte> octets)
    {
        octets.CopyTo(GetSpan(octets.Length));
        Advance(octets.Length);
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _buffer.Length - Length);
        Length += count;
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _buffer.AsMemory(Length);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _buffer.AsSpan(Length);
    }

    public void Dispose()
    {
        ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = [];
        Length = 0;
    }

    private void Reserve(int sizeHint)
    {
        int needed = checked(Length + Math.Max(sizeHint, 1));
        if (needed > _buffer.Length)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent(Math.Max(needed, (int)Math.Min(2L * _buffer.Length, Array.MaxLength)));
            Written.Span.CopyTo(larger);
            ArrayPool<byte>.Shared.Return(_buffer);
            _buffer = larger;
        }
    }
}
