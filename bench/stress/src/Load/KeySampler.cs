namespace Optiks.Stress.Load;

/// <summary>
/// Picks key numbers from 0 to n-1, either uniformly or by Zipf's law, in which the probability of number i is proportional to 1/(i+1)^s.
/// For Zipf's law, it uses rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate variates from monotone discrete
/// distributions", 1996), which needs no table and works for any n.
/// </summary>
internal sealed class KeySampler
{
    private readonly int _keys;
    private readonly double _exponent;
    private readonly double _lowest;
    private readonly double _highest;
    private readonly double _accept;

    /// <summary>Creates a sampler of the given number of keys. If the exponent is 0, it picks keys uniformly.</summary>
    public KeySampler(int keys, double exponent)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(keys);
        ArgumentOutOfRangeException.ThrowIfNegative(exponent);
        _keys = keys;
        _exponent = exponent;
        _lowest = Integral(1.5) - 1;
        _highest = Integral(keys + 0.5);
        _accept = 2 - Inverse(Integral(2.5) - Weight(2));
    }

    public int Next(Random random)
    {
        if (_exponent == 0)
        {
            return random.Next(_keys);
        }
        while (true)
        {
            double u = _highest + (random.NextDouble() * (_lowest - _highest));
            double x = Inverse(u);
            int k = Math.Clamp((int)Math.Round(x), 1, _keys);
            if (k - x <= _accept || u >= Integral(k + 0.5) - Weight(k))
            {
                return k - 1;
            }
        }
    }

    private double Weight(double x) => Math.Pow(x, -_exponent);

    // Returns the antiderivative of the weight function. For exponents near 1, it returns the limit, which is the logarithm.
    private double Integral(double x) =>
        Math.Abs(1 - _exponent) < 1e-9 ? Math.Log(x) : (Math.Pow(x, 1 - _exponent) - 1) / (1 - _exponent);

    private double Inverse(double y) =>
        Math.Abs(1 - _exponent) < 1e-9 ? Math.Exp(y) : Math.Pow(1 + (y * (1 - _exponent)), 1 / (1 - _exponent));
}
