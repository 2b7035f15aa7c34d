namespace Optiks.ServiceDefaults;

/// <summary>MetricsOptions (<c>Optiks:Metrics</c>) let Prometheus fetch the metrics of a program (docs/operations/telemetry.md).</summary>
internal sealed class MetricsOptions
{
    public const string Section = "Optiks:Metrics";

    /// <summary>Prometheus: metrics are at <c>/metrics</c>, for callers with an API key of the scope <c>metrics</c>.</summary>
    /// <value>false: there is no such address.</value>
    public bool Prometheus { get; set; }
}
