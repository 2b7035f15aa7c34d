using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Polly.CircuitBreaker;

namespace Optiks.Storage.Hosting;

/// <summary>Publishes the meter <c>Optiks.Storage</c>, with the retries and circuits of storage operations. Thread-safe.</summary>
internal sealed class ResilienceMetrics : IDisposable
{
    // The time for which the metric reports a circuit as open after a failure. A circuit closes only when work succeeds, so without work it
    // stays open even if the database is back. This time is longer than failing callers wait between attempts, and shorter than the time
    // after which an alert fires.
    private static readonly TimeSpan s_memory = TimeSpan.FromSeconds(30);

    private readonly Meter _meter = new("Optiks.Storage");
    private readonly Counter<long> _retries;
    private readonly ConcurrentDictionary<string, CircuitBreakerStateProvider> _circuits = new();
    private readonly ConcurrentDictionary<string, long> _opened = new();
    private readonly TimeProvider _time;

    public ResilienceMetrics(TimeProvider time)
    {
        _time = time;
        _meter.CreateObservableGauge("optiks.storage.circuit.open", Circuits, "{circuit}",
            "1 while the circuit is open because the database fails repeatedly, by operation; 0 again 30 s after the last failure.");
        _retries = _meter.CreateCounter<long>("optiks.storage.retries", "{attempt}", "Retries after a transient failure, by operation.");
    }

    /// <summary>Adds the circuit of an operation to the metrics.</summary>
    public void Observe(string operation, CircuitBreakerStateProvider circuit) => _circuits[operation] = circuit;

    /// <summary>Records that an operation's circuit has opened, for the first time or again after another failed attempt.</summary>
    public void Opened(string operation) => _opened[operation] = _time.GetTimestamp();

    /// <summary>Counts one retry of an operation, which is an attempt after a failed one.</summary>
    public void Retried(string operation) => _retries.Add(1, Operation(operation));

    public void Dispose() => _meter.Dispose();

    private IEnumerable<Measurement<int>> Circuits() =>
        _circuits.Select(circuit => new Measurement<int>(IsOpen(circuit.Key, circuit.Value) ? 1 : 0, Operation(circuit.Key)));

    private bool IsOpen(string operation, CircuitBreakerStateProvider circuit) =>
        circuit.CircuitState != CircuitState.Closed && _opened.TryGetValue(operation, out long at) && _time.GetElapsedTime(at) < s_memory;

    private static KeyValuePair<string, object?> Operation(string name) => new("optiks.operation", name);
}
