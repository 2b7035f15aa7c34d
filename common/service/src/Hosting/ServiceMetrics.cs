using System.Diagnostics.Metrics;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Publishes the metrics that every service has: the free space of the disks with its files, and the expiry of the certificates that it
/// serves. Any thread may use it.
/// </summary>
internal sealed class ServiceMetrics : IDisposable
{
    private readonly Meter _meter;

    public ServiceMetrics(IMeterFactory meters, DataFolder folder, ServedCertificates certificates)
    {
        _meter = meters.Create("Optiks.Service");
        _meter.CreateObservableGauge("optiks.service.disk.free", () => Measure(folder, drive => drive.AvailableFreeSpace), "By",
            "Space that this program may still use on the file system of each folder with its files.");
        _meter.CreateObservableGauge("optiks.service.disk.size", () => Measure(folder, drive => drive.TotalSize), "By",
            "Size of the file system of each of these folders.");
        _meter.CreateObservableGauge(
            "optiks.service.certificate.expiry",
            () =>
                certificates.Ends.Select(
                    end => new Measurement<long>(end.Value.ToUnixTimeSeconds(), new KeyValuePair<string, object?>("server.port", end.Key))),
                    "s",
            "Time at which the served certificate expires, by port.");
    }

    public void Dispose() => _meter.Dispose();

    // Measures the disks of the data folder and of the board, which may be on another disk.
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
            // The disk was removed, or the process may not read its properties.
            return null;
        }
    }
}
