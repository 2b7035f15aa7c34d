using Optiks.Stress.Load;

namespace Optiks.Stress.Tests;

public sealed class HistogramTests
{
    [Theory]
    [InlineData(50)]
    [InlineData(90)]
    [InlineData(99)]
    [InlineData(99.9)]
    [InlineData(100)]
    public void A_percentile_is_never_below_the_exact_one_and_at_most_a_64th_above(double percent)
    {
        var random = new Random(1);
        var histogram = new Histogram();
        long[] values = [.. Enumerable.Range(0, 20_000).Select(_ => (long)Math.Exp(random.NextDouble() * 18))];
        foreach (long value in values)
        {
            histogram.Record(value);
        }
        Array.Sort(values);
        long exact = values[(int)Math.Ceiling(percent / 100 * values.Length) - 1];

        Assert.InRange(histogram.Percentile(percent), exact, exact + (exact / 64));
        Assert.Equal(values[^1], histogram.Max);
        Assert.Equal(values.Average(), histogram.Mean, 3);
    }

    [Fact]
    public void Small_values_are_exact_and_none_gives_zero()
    {
        var histogram = new Histogram();
        Assert.Equal(0, histogram.Percentile(99));
        for (int i = 1; i <= 100; i++)
        {
            histogram.Record(i);
        }
        Assert.Equal(50, histogram.Percentile(50));
        Assert.Equal(99, histogram.Percentile(99));
        Assert.Equal(Enumerable.Range(1, 100).Select(value => ((long)value, 1L)), histogram.Buckets);
        Assert.Equal(1, histogram.Percentile(0));
    }

    [Fact]
    public void Buckets_join_without_gap_up_to_the_largest_value()
    {
        long edge = -1;
        for (int bucket = 0; bucket <= Histogram.Bucket(long.MaxValue); bucket++)
        {
            Assert.Equal(bucket, Histogram.Bucket(edge + 1));
            long next = Histogram.UpperEdge(bucket);
            Assert.Equal(bucket, Histogram.Bucket(next));
            edge = next;
        }
        Assert.Equal(long.MaxValue, edge);
    }

    [Fact]
    public void Adding_is_recording_both()
    {
        Histogram a = new(), b = new(), both = new();
        for (int i = 0; i < 1000; i++)
        {
            (i % 3 == 0 ? a : b).Record(i * 37L);
            both.Record(i * 37L);
        }
        a.Add(b);
        Assert.Equal(both.Count, a.Count);
        Assert.Equal(both.Percentile(95), a.Percentile(95));
        Assert.Equal(both.Max, a.Max);
    }
}
