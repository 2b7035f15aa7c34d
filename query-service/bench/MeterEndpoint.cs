using System.Diagnostics.Metrics;

namespace Optiks.QueryService.Bench;

/// <summary>
/// Implements <c>GET /bench/meters</c>, which returns the current values of the service's own observable counters by their names.
/// Thread-safe.
/// </summary>
internal sealed class MeterEndpoint : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly Dictionary<string, long> _values = new(StringComparer.Ordinal);
    private readonly Lock _lock = new();

    public MeterEndpoint()
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == "Optiks.Query" && instrument.IsObservable)
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>((instrument, value, _, _) => _values[instrument.Name] = value);
        _listener.Start();
    }

    public void Map(IEndpointRouteBuilder routes) => routes.MapGet("/bench/meters", Read);

    public void Dispose() => _listener.Dispose();

    private Dictionary<string, long> Read()
    {
        lock (_lock)
        {
            _listener.RecordObservableInstruments();
            return new Dictionary<string, long>(_values, StringComparer.Ordinal);
        }
    }
}
