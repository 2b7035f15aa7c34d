using System.Diagnostics.Metrics;

namespace Optiks.Auditor;

/// <summary>The meter <c>Optiks.Auditor</c>, which reports the view of each log. Thread-safe.</summary>
internal sealed class AuditorMetrics
{
    private const string Name = "Optiks.Auditor";
    private readonly Counter<long> _looks;

    public AuditorMetrics(IMeterFactory meters, AuditedLogs logs, TimeProvider time)
    {
        Meter meter = meters.Create(Name);
        _looks = meter.CreateCounter<long>("optiks.auditor.looks", "{look}", "Looks at a log, by how it stood afterwards.");
        meter.CreateObservableGauge("optiks.auditor.verified_epoch", () => Measure(logs, view => (long?)view.VerifiedEpoch), "{epoch}",
            "Last epoch that is verified.");
        meter.CreateObservableGauge(
            "optiks.auditor.signed_epoch", () => Measure(logs, view => (long?)view.Signed?.Epoch), "{epoch}", "Last epoch that is signed.");
        meter.CreateObservableGauge(
            "optiks.auditor.lag",
            () =>
                Measure(
                    logs,
                    view => view.VerifiedEpoch is null
                        ? (double?)null
                        : (time.GetUtcNow().ToUnixTimeMilliseconds() - (double)view.VerifiedTimeMs) / 1000), "s",
            "Age of the last verified epoch's record.");
        meter.CreateObservableGauge(
            "optiks.auditor.max_lag", () => Measure(logs, view => (double?)(view.Log.TrustAnchor.Configuration.MaxBehindMs / 1000.0)), "s",
            "How old that may be: the log's max_behind.");
        meter.CreateObservableGauge("optiks.auditor.stopped", () => Measure(logs, view => (long?)(view.Finding is null ? 0 : 1)), "{log}",
            "1 once something was wrong with the log: nothing is signed of it any more.");
        meter.CreateObservableCounter("optiks.auditor.proofs.size", () => Measure(logs, view => (long?)view.ProofOctets), "By",
            "Octets of proofs that were verified.");
    }

    /// <summary>Counts a look.</summary>
    public void Looked(LogView view) => _looks.Add(
        1, new KeyValuePair<string, object?>("optiks.log", view.Origin),
        new KeyValuePair<string, object?>("optiks.condition", view.Condition.ToString().ToLowerInvariant()));

    private static IEnumerable<Measurement<T>> Measure<T>(AuditedLogs logs, Func<LogView, T?> value)
        where T : struct
    {
        foreach (LogView view in logs.Views)
        {
            if (value(view) is { } measured)
            {
                yield return new Measurement<T>(measured, new KeyValuePair<string, object?>("optiks.log", view.Origin));
            }
        }
    }
}
