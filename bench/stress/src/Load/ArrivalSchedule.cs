namespace Optiks.Stress.Load;

/// <summary>Lists the ways to space the intended starts of requests.</summary>
internal enum Arrivals
{
    Poisson,
    Constant,
}

/// <summary>
/// Computes the intended starts of requests in an open loop. The starts depend only on the rate, never on the times of earlier answers.
/// Therefore, if a server stalls, the latencies include the wait of all requests that would have arrived during the stall.
/// </summary>
internal sealed class ArrivalSchedule
{
    private readonly Arrivals _arrivals;
    private readonly Random _random;
    private readonly double _rate;
    private readonly double _first;
    private double _sum;
    private long _index;

    /// <summary>Creates a schedule that begins at the given time on the run's clock.</summary>
    /// <param name="arrivals">The spacing of the starts.</param>
    /// <param name="rate">The average number of arrivals per second.</param>
    /// <param name="first">The time of the schedule's beginning, in seconds on the run's clock.</param>
    /// <param name="random">The source of random numbers for the gaps of Poisson arrivals.</param>
    public ArrivalSchedule(Arrivals arrivals, double rate, double first, Random random)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(rate);
        _arrivals = arrivals;
        _rate = rate;
        _first = first;
        _random = random;
    }

    /// <summary>
    /// Returns the next intended start in seconds. With constant spacing, the schedule computes each start from its index, so that rounding
    /// errors do not add up.
    /// </summary>
    public double Next()
    {
        if (_arrivals == Arrivals.Constant)
        {
            return _first + (_index++ / _rate);
        }
        _sum += -Math.Log(1 - _random.NextDouble()) / _rate;
        return _first + _sum;
    }
}
