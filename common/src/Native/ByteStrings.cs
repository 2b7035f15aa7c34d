using System.Buffers;

namespace Optiks.Native;

/// <summary>
/// Holds a batch of byte strings in the form of the C ABI: one blob and n + 1 offsets, of which the first is 0. The batch rents pooled
/// memory unless it is long. Dispose clears the memory, because keys are names, and returns it to the pool; callers must not use earlier
/// spans afterwards. Only one thread at a time may use a batch.
/// </summary>
public sealed class ByteStrings : IDisposable
{
    // Longer arrays are not returned to the pool: it would keep one for each thread that returned one, and nothing bounds the sum of their
    // lengths.
    private const int MaxPooledLength = 1024 * 1024;

    private byte[] _blob;
    private ulong[] _offsets;
    private int _length;

    /// <summary>Makes an empty batch with room for the given numbers of strings and bytes.</summary>
    public ByteStrings(int strings = 16, int octets = 512)
    {
        // An array without elements marks a disposed batch, so a new batch has at least one byte.
        _blob = Rent<byte>(Math.Max(1, octets));
        _offsets = Rent<ulong>(strings + 1);
        _offsets[0] = 0;
    }

    /// <summary>The number of strings.</summary>
    public int Count { get; private set; }

    /// <summary>The blob of all strings, one after another.</summary>
    public ReadOnlySpan<byte> Blob => _blob.AsSpan(0, _length);

    /// <summary>The offsets of the strings in the blob. There are <see cref="Count"/> + 1 offsets; the last offset is the blob's
    /// length.</summary>
    public ReadOnlySpan<ulong> Offsets => _offsets.AsSpan(0, Count + 1);

    /// <summary>The i-th string.</summary>
    public ReadOnlySpan<byte> this[int index]
    {
        get
        {
            ArgumentOutOfRangeException.ThrowIfNegative(index);
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(index, Count);
            return _blob.AsSpan((int)_offsets[index], (int)(_offsets[index + 1] - _offsets[index]));
        }
    }

    /// <summary>Appends a copy of a string.</summary>
    public void Add(ReadOnlySpan<byte> text)
    {
        if (text.Length > _blob.Length - _length)
        {
            Grow(ref _blob, _length, checked(_length + text.Length));
        }
        if (Count + 2 > _offsets.Length)
        {
            Grow(ref _offsets, Count + 1, Count + 2);
        }
        text.CopyTo(_blob.AsSpan(_length));
        _length += text.Length;
        Count++;
        _offsets[Count] = (ulong)_length;
    }

    /// <summary>Empties the batch and keeps its memory.</summary>
    public void Clear()
    {
        _blob.AsSpan(0, _length).Clear();
        _length = 0;
        Count = 0;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_offsets.Length == 0)
        {
            return;
        }
        Clear();
        Return(_blob);
        Return(_offsets);
        _blob = [];
        _offsets = [];
    }

    private static void Grow<T>(ref T[] array, int used, int needed)
    {
        ObjectDisposedException.ThrowIf(array.Length == 0, typeof(ByteStrings));
        T[] larger = Rent<T>(Math.Max(needed, checked(array.Length * 2)));
        array.AsSpan(0, used).CopyTo(larger);
        array.AsSpan(0, used).Clear();
        Return(array);
        array = larger;
    }

    private static T[] Rent<T>(int length) => length > MaxPooledLength ? new T[length] : ArrayPool<T>.Shared.Rent(length);

    private static void Return<T>(T[] array)
    {
        // The lengths of the pool's arrays are powers of two, so every array that `Rent` took from the pool has at most this length.
        if (array.Length <= MaxPooledLength)
        {
            ArrayPool<T>.Shared.Return(array);
        }
    }
}
