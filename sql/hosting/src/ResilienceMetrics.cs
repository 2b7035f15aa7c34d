using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Polly.CircuitBreaker;

namespace Optiks.Storage.Hosting;

/// <summary>The meter <c>Optiks.Storage</c>. Any thread.</summary>
internal sealed class ResilienceMetrics : IDisposable
{
    // A circuit closes with the next work that succeeds. When there is no work, an open circuit says nothing about the database any more.
    // So the metric reports an open circuit only for this long after a failure. This is longer than failing callers wait between attempts,
    // and shorter than an alert waits.
    private static readonly TimeSpan s_memory = TimeSpan.FromSeconds(30);

    private readonly Meter _meter = new("Optiks.Storage");
    private readonly Counter<long> _retries;
    private readonly ConcurrentDictionary<string, CircuitBreakerStateProvider> _circuits = new();
    private readonly ConcurrentDictionary<string, long> _opened = new();
    private readonly TimeProvider _time;

    public ResilienceMetrics(TimeProvider time)
    {
        _time = time;
        _meter.CreateObservableGauge("optiks.storage.circuit.open", Circuits, "{circuit}", "1 while the circuit is open because the database fails repeatedly, by operation; 0 again 30 s after the last failure.");
        _retries = _meter.CreateCounter<long>("optiks.storage.retries", "{attempt}", "Retries after a transient failure, by operation.");
    }

    /// <summary>Adds the operation's circuit to the metrics.</summary>
    public void Observe(string operation, CircuitBreakerStateProvider circuit) => _circuits[operation] = circuit;

    /// <summary>Records that the operation's circuit opened, for the first time or after another attempt.</summary>
    public void Opened(string operation) => _opened[operation] = _time.GetTimestamp();

    /// <summary>Counts a retry, which is an attempt after a failed attempt.</summary>
    public void Retried(string operation) => _retries.Add(1, Operation(operation));

    public void Dispose() => _meter.Dispose();

    private IEnumerable<Measurement<int>> Circuits() => _circuits.Select(circuit => new Measurement<int>(IsOpen(circuit.Key, circuit.Value) ? 1 : 0, Operation(circuit.Key)));

    private bool IsOpen(string operation, CircuitBreakerStateProvider circuit) =>
        circuit.CircuitState != CircuitState.Closed && _opened.TryGetValue(operation, out long at) && _time.GetElapsedTime(at) < s_memory;

    private static KeyValuePair<string, object?> Operation(string name) => new("optiks.operation", name);
}
