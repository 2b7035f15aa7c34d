using System.Buffers;
using System.Numerics;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Lends arrays for answers. Short arrays come from the runtime's pool. Long arrays are kept here when they come back, up to a number of bytes:
/// the runtime's pool keeps an array for each thread that returned one, and nothing bounds their sum. Without any pool, each long answer
/// would first have to wait for thousands of fresh pages, and so would the requests that share its processor. Thread-safe.
/// </summary>
internal sealed class AnswerArrays
{
    private const int MaxPooledLength = 1024 * 1024;

    private readonly Lock _lock = new();
    private readonly long _maxIdle;

    // From the array that came back first to the array that came back last. There are few, because each is long.
    private readonly List<byte[]> _idle = [];
    private long _idleLength;

    /// <summary>Makes an empty store.</summary>
    /// <param name="maxIdle">The most bytes of long arrays that wait for the next answer.</param>
    public AnswerArrays(long maxIdle) => _maxIdle = maxIdle;

    /// <summary>The number of bytes of long arrays that wait for the next answer.</summary>
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

    /// <summary>Returns an array of exactly this length, a power of two. It may hold bytes of earlier answers.</summary>
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

    /// <summary>Takes an array back. When there are too many long arrays, those that came back first are dropped.</summary>
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
