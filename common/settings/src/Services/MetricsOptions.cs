namespace Optiks.ServiceDefaults;

/// <summary>
/// Configures whether Prometheus may scrape the metrics of a program (<c>Optiks:Metrics</c>; docs/operations/telemetry.md).
/// </summary>
internal sealed class MetricsOptions
{
    public const string Section = "Optiks:Metrics";

    /// <summary>Whether <c>/metrics</c> serves the metrics, to callers with an API key with the scope <c>metrics</c>.</summary>
    /// <value>false: there is no such address.</value>
    public bool Prometheus { get; set; }
}
