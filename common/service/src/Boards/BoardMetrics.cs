using System.Diagnostics.Metrics;

namespace Optiks.ServiceDefaults;

/// <summary>Publishes metrics about a board that the service reads at a URL: the board's state and the number of failures.</summary>
internal sealed class BoardMetrics : IDisposable
{
    private readonly Meter _meter;
    private readonly Counter<long> _failures;

    public BoardMetrics(IMeterFactory factory)
    {
        _meter = factory.Create("Optiks.Board");
        _failures = _meter.CreateCounter<long>(
            "optiks.service.board.failures", "{attempt}", "Attempts to read the remote board that gave no acceptable checkpoint.");
    }

    /// <summary>Sets the functions that return the board's size and the time since the board's last trusted answer.</summary>
    public void Observe(Func<long> size, Func<double> silence)
    {
        _meter.CreateObservableGauge("optiks.service.board.size", size, "{entry}", "Size of the checkpoint that the service uses.");
        _meter.CreateObservableGauge(
            "optiks.service.board.silence", silence, "s", "Time since the board last gave an acceptable checkpoint.");
    }

    public void Failed() => _failures.Add(1);

    public void Dispose() => _meter.Dispose();
}
