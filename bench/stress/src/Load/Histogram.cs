using System.Numerics;

namespace Optiks.Stress.Load;

/// <summary>
/// Counts durations in microseconds in log-linear buckets. Each duration below 128 microseconds has its own bucket. Above 128 microseconds,
/// the range between two powers of two is split into 64 equal buckets. A percentile is at most 1/64 above the exact percentile and never
/// below it. Only one thread at a time may use a histogram.
/// </summary>
internal sealed class Histogram
{
    private const int ExactBits = 7;
    private const int Parts = 1 << (ExactBits - 1);
    // The counts of the buckets. The array is only as long as the longest duration needs, because a long run has one histogram for each
    // second.
    private long[] _counts = [];

    public long Count { get; private set; }

    public long Max { get; private set; }

    /// <summary>The sum of all durations, from which the mean is computed.</summary>
    public double Sum { get; private set; }

    public double Mean => Count == 0 ? 0 : Sum / Count;

    /// <summary>
    /// The buckets that are not empty, from the shortest duration to the longest. Each element has the bucket's upper edge in microseconds
    /// and its count.
    /// </summary>
    public IEnumerable<(long UpperEdge, long Count)> Buckets =>
        _counts.Index().Where(bucket => bucket.Item > 0).Select(bucket => (UpperEdge(bucket.Index), bucket.Item));

    /// <summary>Counts a duration as often as the parameter <paramref name="times"/> says. A negative duration, which the rounding of a
    /// clock can cause, counts as 0.</summary>
    public void Record(long microseconds, long times = 1)
    {
        if (times <= 0)
        {
            return;
        }
        long value = Math.Max(0, microseconds);
        int bucket = Bucket(value);
        Reserve(bucket + 1);
        _counts[bucket] += times;
        Count += times;
        Sum += (double)value * times;
        Max = Math.Max(Max, value);
    }

    public void Add(Histogram other)
    {
        Reserve(other._counts.Length);
        for (int i = 0; i < other._counts.Length; i++)
        {
            _counts[i] += other._counts[i];
        }
        Count += other.Count;
        Sum += other.Sum;
        Max = Math.Max(Max, other.Max);
    }

    /// <summary>
    /// Returns a percentile by nearest rank: the upper edge of the bucket that contains it, in microseconds. Returns 0 if no duration was
    /// recorded.
    /// </summary>
    /// <param name="percent">The percentage, 0 to 100.</param>
    public long Percentile(double percent)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(percent);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(percent, 100);
        long rank = Math.Max(1, (long)Math.Ceiling(percent / 100 * Count));
        long seen = 0;
        for (int i = 0; i < _counts.Length && Count > 0; i++)
        {
            seen += _counts[i];
            if (seen >= rank)
            {
                return Math.Min(Max, UpperEdge(i));
            }
        }
        return 0;
    }

    private void Reserve(int length)
    {
        if (length > _counts.Length)
        {
            Array.Resize(ref _counts, length);
        }
    }

    internal static int Bucket(long value)
    {
        if (value < 1 << ExactBits)
        {
            return (int)value;
        }
        int shift = BitOperations.Log2((ulong)value) - (ExactBits - 1);
        return (1 << ExactBits) + ((shift - 1) * Parts) + (int)((value >> shift) - Parts);
    }

    internal static long UpperEdge(int bucket)
    {
        if (bucket < 1 << ExactBits)
        {
            return bucket;
        }
        int above = bucket - (1 << ExactBits);
        int shift = (above / Parts) + 1;
        return ((long)(Parts + (above % Parts) + 1) << shift) - 1;
    }
}
