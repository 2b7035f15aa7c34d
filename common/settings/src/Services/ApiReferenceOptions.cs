namespace Optiks.ServiceDefaults;

/// <summary>Configures the page that shows the HTTP interface of query-service and update-service (<c>Optiks:ApiReference</c>).</summary>
internal sealed class ApiReferenceOptions
{
    public const string Section = "Optiks:ApiReference";

    /// <summary>Whether the service serves a page at <c>/docs</c> that shows the OpenAPI document to people. Everyone may read this
    /// page.</summary>
    /// <value>The default is true.</value>
    public bool Enabled { get; set; } = true;
}
