using System.Diagnostics.Metrics;
using Optiks.QueryService.Cosigners;
using Optiks.Tlog;

namespace Optiks.QueryService.Telemetry;

/// <summary>Counts the requests to each cosigner, by the cosigner's name. Thread-safe.</summary>
internal sealed class CosignerMetrics : IDisposable
{
    private readonly Meter _meter;
    private readonly Counter<long> _requests;

    public CosignerMetrics(IMeterFactory factory, CosignedCheckpoints checkpoints)
    {
        _meter = factory.Create("Optiks.Query");
        _requests = _meter.CreateCounter<long>("optiks.query.cosigner.requests", "{request}",
            "Requests to a cosigner for its newest checkpoint, by whether the answer was accepted.");
        _meter.CreateObservableGauge(
            "optiks.query.cosigner.size",
            () => checkpoints.Sizes.Select(one => new Measurement<long>((long)one.Size, Name(one.Cosigner))), "{entry}",
            "Size of the newest checkpoint served for a cosigner.");
    }

    /// <summary>Counts a request to a cosigner, and whether the cosigner's answer was accepted.</summary>
    public void Asked(VerifierKey cosigner, bool counted) =>
        _requests.Add(1, Name(cosigner), new KeyValuePair<string, object?>("optiks.outcome", counted ? "taken" : "failed"));

    public void Dispose() => _meter.Dispose();

    private static KeyValuePair<string, object?> Name(VerifierKey cosigner) => new("optiks.cosigner", cosigner.Name);
}
