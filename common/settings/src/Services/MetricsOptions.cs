namespace Optiks.ServiceDefaults;

/// <summary>
/// Configures whether Prometheus may scrape the program's metrics (<c>Optiks:Metrics</c>; docs/operations/telemetry.md).
/// </summary>
internal sealed class MetricsOptions
{
    public const string Section = "Optiks:Metrics";

    /// <summary>Whether the program serves its metrics at <c>/metrics</c>, to callers that have an API key with the scope <c>metrics</c>.
    /// If not, this path does not exist.</summary>
    /// <value>The default is false.</value>
    public bool Prometheus { get; set; }
}
