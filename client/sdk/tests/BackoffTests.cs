namespace Optiks.Client.Tests;

/// <summary>Tests the pauses between two tries of a request.</summary>
public sealed class BackoffTests
{
    private static readonly TimeSpan s_delay = TimeSpan.FromMilliseconds(100);

    [Fact]
    public void Pauses_double_up_to_a_limit_and_lie_between_half_and_the_whole()
    {
        Assert.Equal([100, 200, 400, 800, 1600, 1600, 1600], Pauses(7, random: 1));
        Assert.Equal([50, 100, 200, 400, 800, 800, 800], Pauses(7, random: 0));
    }

    [Fact]
    public void A_server_s_time_is_never_undercut_and_clients_spread_behind_it()
    {
        TimeSpan asked = TimeSpan.FromSeconds(3);
        Assert.Equal(asked, Make().Next(asked, 0));
        Assert.Equal(asked + s_delay, Make().Next(asked, 1));
        Assert.Equal(s_delay, Make().Next(TimeSpan.Zero, 1));
        Assert.Equal(s_delay, Make().Next(-asked, 1));
    }

    [Fact]
    public async Task A_pause_beyond_the_time_for_retries_is_not_waited_for()
    {
        long start = TimeProvider.System.GetTimestamp();
        Assert.False(await Make().TryWaitAsync(TimeSpan.FromHours(1), TestContext.Current.CancellationToken));
        Assert.True(TimeProvider.System.GetElapsedTime(start) < TimeSpan.FromMinutes(1));
        Assert.True(await Make().TryWaitAsync(null, TestContext.Current.CancellationToken));
    }

    private static IEnumerable<double> Pauses(int count, double random)
    {
        Backoff backoff = Make();
        return [.. Enumerable.Range(0, count).Select(_ => backoff.Next(null, random).TotalMilliseconds)];
    }

    private static Backoff Make() => new(
        new OptiksClientOptions
        {
            TrustAnchor = FixtureLog.Anchor,
            QueryUrls = [new Uri("http://backoff.test/")],
            RetryDelay = s_delay,
            RetryFor = TimeSpan.FromSeconds(10),
        },
        TimeProvider.System);
}
