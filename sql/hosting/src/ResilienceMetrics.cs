using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Polly.CircuitBreaker;

namespace Optiks.Storage.Hosting;

/// <summary>ResilienceMetrics is the meter <c>Optiks.Storage</c>. Any thread.</summary>
internal sealed class ResilienceMetrics : IDisposable
{
    private readonly Meter _meter = new("Optiks.Storage");
    private readonly Counter<long> _retries;
    private readonly ConcurrentDictionary<string, CircuitBreakerStateProvider> _circuits = new();

    public ResilienceMetrics()
    {
        _meter.CreateObservableGauge("optiks.storage.circuit.open", Circuits, "{circuit}", "1 while the database is not asked because it has failed repeatedly, by operation.");
        _retries = _meter.CreateCounter<long>("optiks.storage.retries", "{attempt}", "Attempts after one that failed for the moment, by operation.");
    }

    /// <summary>Observe shows the operation's circuit.</summary>
    public void Observe(string operation, CircuitBreakerStateProvider circuit) => _circuits[operation] = circuit;

    /// <summary>Retried counts an attempt after a failed one.</summary>
    public void Retried(string operation) => _retries.Add(1, Operation(operation));

    public void Dispose() => _meter.Dispose();

    private IEnumerable<Measurement<int>> Circuits() =>
        _circuits.Select(circuit => new Measurement<int>(circuit.Value.CircuitState == CircuitState.Closed ? 0 : 1, Operation(circuit.Key)));

    private static KeyValuePair<string, object?> Operation(string name) => new("optiks.operation", name);
}
