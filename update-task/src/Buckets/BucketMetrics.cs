using System.Diagnostics.Metrics;

namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// Publishes metrics about the bucket: the size of its checkpoint, an alarm while it cannot be updated, and the number of failed copies.
/// </summary>
internal sealed class BucketMetrics : IDisposable
{
    private readonly Meter _meter;
    private readonly Counter<long> _failures;

    public BucketMetrics(IMeterFactory factory, BucketState state)
    {
        _meter = factory.Create("Optiks.UpdateTask");
        _meter.CreateObservableGauge(
            "optiks.task.bucket.size", () => (long)state.Size, "{entry}", "Size of the checkpoint that the bucket has.");
        _meter.CreateObservableGauge(
            "optiks.task.bucket.alarm", () => state.Problem is null ? 0 : 1, "{alarm}", "1 while the bucket cannot be brought up to date.");
        _failures = _meter.CreateCounter<long>(
            "optiks.task.bucket.failures", "{attempt}", "Failed attempts to bring the bucket up to date.");
    }

    public void Failed() => _failures.Add(1);

    public void Dispose() => _meter.Dispose();
}
