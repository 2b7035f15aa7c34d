using System.Buffers;
using System.Numerics;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Lends arrays for answers. Short arrays come from the runtime's pool. This class itself keeps returned long arrays, up to a number of
/// bytes. The runtime's pool is unsuitable for them, because it keeps an array for each thread that returned one, without a bound for the
/// total. Without any pool, the system would have to provide thousands of fresh memory pages for each long answer. The answer would wait
/// for them, and so would other requests on the same processor. Thread-safe.
/// </summary>
internal sealed class AnswerArrays
{
    private const int MaxPooledLength = 1024 * 1024;

    private readonly Lock _lock = new();
    private readonly long _maxIdle;

    // The idle long arrays, in the order in which they were returned. The list is short, because each array is long.
    private readonly List<byte[]> _idle = [];
    private long _idleLength;

    /// <summary>Creates a store without idle arrays.</summary>
    /// <param name="maxIdle">The largest number of bytes that idle long arrays may have together.</param>
    public AnswerArrays(long maxIdle) => _maxIdle = maxIdle;

    /// <summary>The number of bytes that the idle long arrays have together.</summary>
    public long IdleLength
    {
        get
        {
            lock (_lock)
            {
                return _idleLength;
            }
        }
    }

    /// <summary>Returns an array of exactly the given length, which must be a power of two. The array may contain bytes of earlier
    /// answers.</summary>
    public byte[] Rent(int length)
    {
        if (!BitOperations.IsPow2(length))
        {
            throw new ArgumentOutOfRangeException(nameof(length), length, "not a power of two");
        }
        if (length <= MaxPooledLength)
        {
            return ArrayPool<byte>.Shared.Rent(length);
        }
        lock (_lock)
        {
            int index = _idle.FindLastIndex(array => array.Length == length);
            if (index >= 0)
            {
                byte[] array = _idle[index];
                _idle.RemoveAt(index);
                _idleLength -= length;
                return array;
            }
        }
        return GC.AllocateUninitializedArray<byte>(length);
    }

    /// <summary>Takes an array back. If the idle long arrays have too many bytes, drops those that were returned first.</summary>
    public void Return(byte[] array)
    {
        if (array.Length <= MaxPooledLength)
        {
            ArrayPool<byte>.Shared.Return(array);
            return;
        }
        lock (_lock)
        {
            _idle.Add(array);
            _idleLength += array.Length;
            while (_idleLength > _maxIdle)
            {
                _idleLength -= _idle[0].Length;
                _idle.RemoveAt(0);
            }
        }
    }
}
