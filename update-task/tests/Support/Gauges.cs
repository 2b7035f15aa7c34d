using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>Reads the observable gauges of a host's metrics.</summary>
internal static class Gauges
{
    /// <summary>Returns the present value of a gauge that measures seconds; null if the gauge has no value.</summary>
    public static double? Read(IServiceProvider services, string name)
    {
        double? last = null;
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, self) =>
        {
            if (instrument.Name == name && instrument.Meter.Scope == services.GetRequiredService<IMeterFactory>())
            {
                self.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<double>((_, value, _, _) => last = value);
        listener.Start();
        listener.RecordObservableInstruments();
        return last;
    }
}
