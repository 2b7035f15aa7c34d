using System.Diagnostics.Metrics;

namespace Optiks.Witness;

/// <summary>Counts a witness's requests and answers.</summary>
internal sealed class WitnessMetrics : IDisposable
{
    private readonly Meter _meter;
    private readonly Counter<long> _requests;

    public WitnessMetrics(IMeterFactory factory, WitnessedLogs logs)
    {
        _meter = factory.Create("Optiks.Witness");
        _requests = _meter.CreateCounter<long>(
            "optiks.witness.requests", "{request}", "Checkpoints that were to be cosigned, by the answer's status.");
        _meter.CreateObservableGauge(
            "optiks.witness.size", () => Measure(logs, log => (long)log.Size), "{entry}", "Size of the last checkpoint cosigned, by log.");
        _meter.CreateObservableGauge("optiks.witness.time", () => Measure(logs, log => (long)log.Time), "s",
            "The time of the last cosignature, by log; 0 before the first cosignature.");
    }

    public void Answered(string? origin, int status)
    {
        var byStatus = new KeyValuePair<string, object?>("optiks.status", status);
        // Count only configured origins under their own label. Strangers choose all other origins, and could otherwise create an unlimited
        // number of labels.
        if (origin is null)
        {
            _requests.Add(1, byStatus);
        }
        else
        {
            _requests.Add(1, byStatus, new KeyValuePair<string, object?>("optiks.log", origin));
        }
    }

    public void Dispose() => _meter.Dispose();

    private static IEnumerable<Measurement<long>> Measure(WitnessedLogs logs, Func<WitnessLog, long> value) =>
        logs.All.Select(log => new Measurement<long>(value(log), new KeyValuePair<string, object?>("optiks.log", log.Key.Name)));
}
