using System.Diagnostics.Metrics;

namespace Optiks.ServiceDefaults;

/// <summary>ServiceMetrics are those of every program: what is free where its files lie, and when the certificates that it serves end. Any thread.</summary>
internal sealed class ServiceMetrics : IDisposable
{
    private readonly Meter _meter;

    public ServiceMetrics(IMeterFactory meters, DataFolder folder, ServedCertificates certificates)
    {
        _meter = meters.Create("Optiks.Service");
        _meter.CreateObservableGauge("optiks.service.disk.free", () => Measure(folder, drive => drive.AvailableFreeSpace), "By", "What this program may still write where its files lie, by folder.");
        _meter.CreateObservableGauge("optiks.service.disk.size", () => Measure(folder, drive => drive.TotalSize), "By", "Size of the file system there.");
        _meter.CreateObservableGauge(
            "optiks.service.certificate.expiry",
            () => certificates.Ends.Select(end => new Measurement<long>(end.Value.ToUnixTimeSeconds(), new KeyValuePair<string, object?>("server.port", end.Key))), "s",
            "Time at which the certificate ends that is served, by port.");
    }

    public void Dispose() => _meter.Dispose();

    // The board may be on a disk of its own.
    private static IEnumerable<Measurement<long>> Measure(DataFolder folder, Func<DriveInfo, long> value)
    {
        foreach ((string name, string path) in ((string, string)[])[("data", folder.Root), ("board", folder.Board)])
        {
            if (Directory.Exists(path) && Read(path, value) is { } measured)
            {
                yield return new Measurement<long>(measured, new KeyValuePair<string, object?>("optiks.folder", name));
            }
        }
    }

    private static long? Read(string path, Func<DriveInfo, long> value)
    {
        try
        {
            return value(new DriveInfo(path));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // It went away, or may not be looked at.
            return null;
        }
    }
}
