using Optiks.Stress.Load;

namespace Optiks.Stress.Tests;

/// <summary>Tests the times, keys and kinds of requests. All seeds are fixed, so each run draws the same numbers and a failure
/// repeats.</summary>
public sealed class LoadTests
{
    [Fact]
    public void Constant_arrivals_do_not_drift()
    {
        var schedule = new ArrivalSchedule(Arrivals.Constant, 3, 10, new Random(1));
        double[] starts = [.. Enumerable.Range(0, 300_001).Select(_ => schedule.Next())];
        Assert.Equal(10, starts[0]);
        Assert.Equal(10 + (1.0 / 3), starts[1], 12);
        Assert.Equal(100_010, starts[^1]);
    }

    [Fact]
    public void A_window_has_what_was_intended_in_it()
    {
        MixPart hit = Mix.Parse("hit=1").Parts[0];
        var recorder = new Recorder(warmUp: 2, window: 5);
        recorder.Done(hit, 1.9, 2.4, new RequestOutcome(null, 1, 10));
        recorder.Done(hit, 2.0, 2.1, new RequestOutcome(null, 1, 10));
        // This request ends in the second window, but counts in the first window, because its intended start is there.
        recorder.Done(hit, 6.9, 7.9, new RequestOutcome(null, 1, 10));
        recorder.Done(hit, 12.5, 12.6, new RequestOutcome("timeout", 0, 0));
        recorder.NotSent(hit, 12.7);
        Assert.Equal([(2L, 0L, 0L), (0, 0, 0), (0, 1, 1)], recorder.Windows.Select(Counts));
        Assert.InRange(recorder.Windows[0]["hit"].Latency.Max, 999_999, 1_000_001);
        Assert.Equal(2, recorder.Read((kinds, _) => kinds["hit"].Answered));
        Assert.Empty(new Recorder(0).Windows);

        static (long, long, long) Counts(IReadOnlyDictionary<string, KindTotals> window) =>
            window.TryGetValue("hit", out KindTotals? totals) ? (totals.Answered, totals.Failed, totals.NotSent) : default;
    }

    [Fact]
    public void Poisson_gaps_have_the_mean_and_the_spread_of_their_rate()
    {
        const int Count = 200_000;
        const double Rate = 500;
        var schedule = new ArrivalSchedule(Arrivals.Poisson, Rate, 0, new Random(2));
        double last = 0;
        var gaps = new double[Count];
        for (int i = 0; i < Count; i++)
        {
            double next = schedule.Next();
            Assert.True(next >= last);
            gaps[i] = next - last;
            last = next;
        }
        double mean = gaps.Average();
        double deviation = Math.Sqrt(gaps.Average(gap => (gap - mean) * (gap - mean)));
        // The bounds are wider than five standard errors of the mean, which are 1.1 %. The standard deviation of exponential gaps equals
        // their mean. The standard deviation of constant gaps is 0.
        Assert.InRange(mean * Rate, 0.985, 1.015);
        Assert.InRange(deviation * Rate, 0.97, 1.03);
    }

    [Theory]
    [InlineData(0.99)]
    [InlineData(1.0)]
    [InlineData(1.5)]
    [InlineData(0.5)]
    public void Zipf_frequencies_follow_the_law(double exponent)
    {
        const int Keys = 50;
        const int Draws = 400_000;
        var sampler = new KeySampler(Keys, exponent);
        var random = new Random(3);
        var counts = new int[Keys];
        for (int i = 0; i < Draws; i++)
        {
            counts[sampler.Next(random)]++;
        }
        double total = Enumerable.Range(1, Keys).Sum(k => Math.Pow(k, -exponent));
        for (int k = 1; k <= Keys; k++)
        {
            double expected = Draws * Math.Pow(k, -exponent) / total;
            Assert.InRange(counts[k - 1], expected - (6 * Math.Sqrt(expected)), expected + (6 * Math.Sqrt(expected)));
        }
    }

    [Fact]
    public void Uniform_keys_come_equally_often_and_a_single_key_always()
    {
        var sampler = new KeySampler(10, 0);
        var random = new Random(4);
        var counts = new int[10];
        for (int i = 0; i < 100_000; i++)
        {
            counts[sampler.Next(random)]++;
        }
        Assert.All(counts, count => Assert.InRange(count, 9_400, 10_600));
        Assert.Equal(0, new KeySampler(1, 0.99).Next(random));
    }

    [Fact]
    public void A_mix_draws_by_weight()
    {
        Mix mix = Mix.Parse("hit=6, absent=3, batch:100=1");
        Assert.True(mix.Updates);
        Assert.True(mix.NeedsApiKey);
        Assert.Equal(100, mix.Parts[2].Size);
        var random = new Random(5);
        var kinds = Enumerable.Range(0, 100_000).Select(_ => mix.Next(random).Kind).CountBy(kind => kind).ToDictionary();
        Assert.InRange(kinds[OperationKind.Hit], 59_000, 61_000);
        Assert.InRange(kinds[OperationKind.Absent], 29_000, 31_000);
        Assert.InRange(kinds[OperationKind.Batch], 9_400, 10_600);
        Assert.False(Mix.Parse("hit=1,audit=1").NeedsApiKey);
    }

    [Theory]
    [InlineData("")]
    [InlineData("hit")]
    [InlineData("hit=0")]
    [InlineData("hit=-1")]
    [InlineData("hit=x")]
    [InlineData("look=1")]
    [InlineData("0=1")]
    [InlineData("hit:3=1")]
    [InlineData("batch=1")]
    [InlineData("batch:0=1")]
    [InlineData("batch:1001=1")]
    public void Other_mixes_are_refused(string text) => Assert.Throws<FormatException>(() => Mix.Parse(text));
}
