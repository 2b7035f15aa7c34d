using System.Diagnostics;
using System.Globalization;
using System.Text;

namespace Optiks.UpdateTask.Telemetry;

/// <summary>Sums up the time that one epoch spends in each step. Only one thread at a time may use it.</summary>
internal sealed class EpochTimes
{
    private static readonly string[] s_names = [.. Enum.GetNames<EpochStep>().Select(name => name.ToLowerInvariant())];

    private readonly TaskMetrics _metrics;
    private readonly double[] _seconds = new double[s_names.Length];

    public EpochTimes(TaskMetrics metrics) => _metrics = metrics;

    /// <summary>
    /// The total time of all steps, in seconds. The total can exceed the epoch's elapsed time, because the epoch's first steps may run
    /// before it begins, during the previous epoch.
    /// </summary>
    public double Seconds => _seconds.Sum();

    /// <summary>The part of the total time in which the task waited for the database, in seconds.</summary>
    public double DatabaseSeconds =>
        this[EpochStep.Check] + this[EpochStep.Read] + this[EpochStep.Commit] + this[EpochStep.Note] + this[EpochStep.Publish]
            + this[EpochStep.Purge];

    private double this[EpochStep step] => _seconds[(int)step];

    /// <summary>Returns the step's name in metrics and logs.</summary>
    public static string GetName(EpochStep step) => s_names[(int)step];

    /// <summary>Starts to measure a step. The measurement ends when the caller disposes the returned timer.</summary>
    public Timer Measure(EpochStep step) => new(this, step);

    /// <summary>Adds the times of another object that measured steps of the same epoch.</summary>
    public void Add(EpochTimes other)
    {
        for (int i = 0; i < _seconds.Length; i++)
        {
            _seconds[i] += other._seconds[i];
        }
    }

    /// <summary>Returns each step's name and its time in milliseconds, such as "check 1.2, read 30.4".</summary>
    public override string ToString()
    {
        var text = new StringBuilder();
        for (int i = 0; i < s_names.Length; i++)
        {
            _ = text.Append(CultureInfo.InvariantCulture, $"{(i == 0 ? "" : ", ")}{s_names[i]} {_seconds[i] * 1000:F1}");
        }
        return text.ToString();
    }

    public readonly struct Timer(EpochTimes times, EpochStep step) : IDisposable
    {
        private readonly Activity? _activity = times._metrics.StartActivity(step);
        private readonly long _start = Stopwatch.GetTimestamp();

        public void Dispose()
        {
            double seconds = Stopwatch.GetElapsedTime(_start).TotalSeconds;
            times._seconds[(int)step] += seconds;
            times._metrics.Spent(step, seconds);
            _activity?.Dispose();
        }
    }
}
