namespace Optiks.Stress.Load;

/// <summary>Says how the intended starts are spaced.</summary>
internal enum Arrivals
{
    Poisson,
    Constant,
}

/// <summary>
/// Computes the intended starts of an open loop. They follow from the rate alone, never from when earlier answers came, so that a server
/// that stalls is charged for everything that would have arrived in the meantime.
/// </summary>
internal sealed class ArrivalSchedule
{
    private readonly Arrivals _arrivals;
    private readonly Random _random;
    private readonly double _rate;
    private readonly double _first;
    private double _sum;
    private long _index;

    /// <summary>Creates a schedule that begins at a time on the run's clock.</summary>
    /// <param name="arrivals">Spacing.</param>
    /// <param name="rate">Arrivals a second, on average.</param>
    /// <param name="first">Start of the schedule, in seconds.</param>
    /// <param name="random">Source of the Poisson gaps.</param>
    public ArrivalSchedule(Arrivals arrivals, double rate, double first, Random random)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(rate);
        _arrivals = arrivals;
        _rate = rate;
        _first = first;
        _random = random;
    }

    /// <summary>
    /// Returns the next intended start in seconds. Constant starts are computed from their index, so that rounding does not add up.
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
