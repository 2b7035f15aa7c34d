namespace Optiks.Commands;

/// <summary>
/// Finds the addresses of the services when no option gives them. The address for queries is the value of <c>OPTIKS_QUERY_URL</c>. If this
/// variable is not set, the address is this machine at the port in <c>OPTIKS_QUERY_PORT</c>, which <c>make up</c> uses too, or at the
/// default port. The address for updates follows the same rule.
/// </summary>
public static class ServiceAddresses
{
    /// <summary>The help text that says where <see cref="Query"/> finds the addresses of the query-services.</summary>
    public const string QueryOrigin = "OPTIKS_QUERY_URL, comma-separated; else 127.0.0.1 at OPTIKS_QUERY_PORT, default 8301";

    /// <summary>The help text that says where <see cref="Update"/> finds the address of the update-service.</summary>
    public const string UpdateOrigin = "OPTIKS_UPDATE_URL; else 127.0.0.1 at OPTIKS_UPDATE_PORT, default 8311";

    /// <summary>Returns the addresses of one or several query-services, separated by commas.</summary>
    public static string Query(Func<string, string?> environment) => Address(environment, "OPTIKS_QUERY", "8301");

    /// <summary>Returns the address of the update-service.</summary>
    public static string Update(Func<string, string?> environment) => Address(environment, "OPTIKS_UPDATE", "8311");

    private static string Address(Func<string, string?> environment, string name, string port)
    {
        ArgumentNullException.ThrowIfNull(environment);
        return environment($"{name}_URL") is { Length: > 0 } url ? url
            : $"http://127.0.0.1:{(environment($"{name}_PORT") is { Length: > 0 } given ? given : port)}";
    }
}
