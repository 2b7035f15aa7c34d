using System.Globalization;
using System.Text;

namespace Optiks.Stress.Output;

/// <summary>Draws values over the seconds of a run as lines in an SVG plot.</summary>
internal sealed class Plot
{
    private const int Width = 940;
    private const int Height = 260;
    private const int Left = 62;
    private const int Right = 12;
    private const int Top = 28;
    private const int Bottom = 26;
    private const double LeastLogarithmic = 0.1;
    private readonly int _seconds;
    private readonly bool _logarithmic;
    private readonly string _unit;
    private readonly List<(string Name, string Color, double[] Values)> _lines = [];
    private IReadOnlyList<double> _marks = [];
    private double _warmUp;

    /// <summary>Creates a plot of the given number of seconds. The vertical axis of a logarithmic plot begins at 0.1.</summary>
    public Plot(int seconds, bool logarithmic, string unit)
    {
        _seconds = seconds;
        _logarithmic = logarithmic;
        _unit = unit;
    }

    /// <summary>Marks the given times, which are times of epochs, and shades the warm-up. Both arguments are in seconds.</summary>
    public void Mark(IEnumerable<double> moments, double warmUp)
    {
        _marks = [.. moments.Where(moment => moment >= 0 && moment <= _seconds)];
        _warmUp = Math.Min(warmUp, _seconds);
    }

    /// <summary>Adds a line with one value per second, in the colour of a CSS variable.</summary>
    public void Line(string name, string color, double[] values) => _lines.Add((name, color, values));

    public string Draw()
    {
        double[] ticks = Ticks(_lines.SelectMany(line => line.Values).DefaultIfEmpty().Max());
        double highest = ticks[^1];
        double lowest = ticks[0];
        double X(double second) => Left + (second / Math.Max(1, _seconds) * (Width - Left - Right));
        double Y(double value) => Height - Bottom - (Share(value, lowest, highest) * (Height - Top - Bottom));
        var svg = new StringBuilder();
        void Add(FormattableString text) => svg.Append(text.ToString(CultureInfo.InvariantCulture));
        Add($"<svg viewBox=\"0 0 {Width} {Height}\" role=\"img\">");
        Add(
            $"<rect x=\"{Left}\" y=\"{Top}\" width=\"{X(_warmUp) - Left:0.0}\" height=\"{Height - Top - Bottom}\" fill=\"var(--line)\" opacity=\"0.5\"/>");
        foreach (double mark in _marks)
        {
            Add(
                $"<line x1=\"{X(mark):0.0}\" x2=\"{X(mark):0.0}\" y1=\"{Top}\" y2=\"{Height - Bottom}\" stroke=\"var(--good)\" stroke-width=\"0.7\" opacity=\"0.45\"/>");
        }
        foreach (double tick in ticks)
        {
            Add(
                $"<line x1=\"{Left}\" x2=\"{Width - Right}\" y1=\"{Y(tick):0.0}\" y2=\"{Y(tick):0.0}\" stroke=\"var(--line)\"/><text x=\"{Left - 8}\" y=\"{Y(tick) + 4:0.0}\" text-anchor=\"end\">{tick:#,0.##}</text>");
        }
        double step = Step(_seconds, 10);
        for (double second = 0; second <= _seconds; second += step)
        {
            Add($"<text x=\"{X(second):0.0}\" y=\"{Height - 6}\" text-anchor=\"middle\">{second:0.#} s</text>");
        }
        Add($"<text x=\"0\" y=\"14\">{_unit}</text>");
        double legend = Left + 16;
        foreach ((string name, string color, double[] values) in _lines)
        {
            string points = string.Join(
                ' ', values.Select((value, i) => string.Create(CultureInfo.InvariantCulture, $"{X(i + 0.5):0.0},{Y(value):0.0}")));
            Add($"<polyline points=\"{points}\" fill=\"none\" stroke=\"var({color})\" stroke-width=\"1.8\" stroke-linejoin=\"round\"/>");
            Add(
                $"<line x1=\"{legend:0}\" x2=\"{legend + 18:0}\" y1=\"10\" y2=\"10\" stroke=\"var({color})\" stroke-width=\"3\"/><text x=\"{legend + 24:0}\" y=\"14\">{name}</text>");
            legend += 44 + (7 * name.Length);
        }
        return svg.Append("</svg>").ToString();
    }

    private double Share(double value, double lowest, double highest) => _logarithmic
        ? Math.Clamp(Math.Log(Math.Max(value, lowest) / lowest) / Math.Log(highest / lowest), 0, 1)
        : Math.Clamp(value / highest, 0, 1);

    private double[] Ticks(double most)
    {
        var ticks = new List<double>();
        if (_logarithmic)
        {
            double tick = LeastLogarithmic;
            for (; tick < most || ticks.Count < 2; tick *= 10)
            {
                ticks.Add(tick);
            }
            ticks.Add(tick);
            return [.. ticks];
        }
        double step = Step(Math.Max(1, most), 5);
        for (int i = 0; i == 0 || (i - 1) * step < most || i == 1; i++)
        {
            ticks.Add(i * step);
        }
        return [.. ticks];
    }

    // Returns the distance between two lines of the axis, which is 1, 2 or 5 times a power of ten.
    private static double Step(double range, int parts)
    {
        double raw = Math.Max(range / parts, 1e-9);
        double power = Math.Pow(10, Math.Floor(Math.Log10(raw)));
        double digit = raw / power;
        return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
    }
}
