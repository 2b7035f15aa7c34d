using System.Buffers;

namespace Optiks.ServiceDefaults;

/// <summary>Holds a request's body in memory from a pool. After the body is disposed, the memory is reused, so callers must not use the
/// span any more.</summary>
public sealed class PooledBody : IDisposable
{
    private readonly int _length;
    private byte[]? _octets;

    internal PooledBody(int length)
    {
        _length = length;
        _octets = ArrayPool<byte>.Shared.Rent(length);
    }

    /// <summary>The body's bytes.</summary>
    public ReadOnlySpan<byte> Span => Writable;

    /// <summary>The body's bytes, as a <see cref="ReadOnlyMemory{T}"/>.</summary>
    public ReadOnlyMemory<byte> Memory
    {
        get
        {
            ObjectDisposedException.ThrowIf(_octets is null, this);
            return _octets.AsMemory(0, _length);
        }
    }

    internal Span<byte> Writable
    {
        get
        {
            ObjectDisposedException.ThrowIf(_octets is null, this);
            return _octets.AsSpan(0, _length);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _octets, null) is { } octets)
        {
            ArrayPool<byte>.Shared.Return(octets);
        }
    }
}
