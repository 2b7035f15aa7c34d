namespace Optiks.ServiceDefaults;

/// <summary>Configures the page about the interface of query-service and update-service (<c>Optiks:ApiReference</c>).</summary>
internal sealed class ApiReferenceOptions
{
    public const string Section = "Optiks:ApiReference";

    /// <summary>Whether <c>/docs</c> shows the OpenAPI document as a page for people, to everyone.</summary>
    /// <value>true.</value>
    public bool Enabled { get; set; } = true;
}
