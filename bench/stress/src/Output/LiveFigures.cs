using System.Globalization;
using Optiks.Stress.Load;
using Optiks.Stress.Settling;
using Optiks.Stress.Traffic;

namespace Optiks.Stress.Output;

/// <summary>Holds the figures that a live view shows: rates and latency over the last full seconds.</summary>
internal sealed record LiveFigures(
    double Now, double Rate, double Offered, double Completed, long P50, long P99, long Failed, long NotSent, int InFlight, ulong Epoch,
    long Accepted, long Verified, long Invalid)
{
    private const int Window = 5;

    public static LiveFigures Read(LoadRunner runner, Recorder recorder, Findings findings, Views views, Ledger ledger) =>
        recorder.Read((_, seconds) =>
    {
        double now = runner.Now;
        int last = Math.Min((int)now, seconds.Count);
        int first = Math.Max(0, last - Window);
        int length = Math.Max(1, last - first);
        var latency = new Histogram();
        int offered = 0;
        int completed = 0;
        for (int i = first; i < last; i++)
        {
            latency.Add(seconds[i].Latency);
            offered += seconds[i].Offered;
            completed += seconds[i].Completed;
        }
        return new LiveFigures(
            now, runner.Rate, (double)offered / length, (double)completed / length, latency.Percentile(50), latency.Percentile(99),
            seconds.Sum(second => (long)second.Failed), seconds.Sum(second => (long)second.NotSent), runner.InFlight, views.Latest,
            ledger.Count, findings.Verified, findings.Failed);
    });

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Now,5:0} s  offered {Rate:0}/s  completed {Completed:0}/s  p50 {P50 / 1e3:0.0} ms  p99 {P99 / 1e3:0.0} ms  in flight {InFlight}  failed {Failed}  not sent {NotSent}  epoch {Epoch}  accepted {Accepted}  verified {Verified}  invalid {Invalid}");
}
