namespace Optiks.Commands;

/// <summary>
/// Finds the addresses of the services when no option gives them. For queries it is <c>OPTIKS_QUERY_URL</c>, else this machine at
/// <c>OPTIKS_QUERY_PORT</c>, which <c>make up</c> uses too, else the default port; likewise for updates.
/// </summary>
public static class ServiceAddresses
{
    /// <summary>The origin of <see cref="Query"/>, for help.</summary>
    public const string QueryOrigin = "OPTIKS_QUERY_URL, comma-separated; else 127.0.0.1 at OPTIKS_QUERY_PORT, default 8301";

    /// <summary>The origin of <see cref="Update"/>, for help.</summary>
    public const string UpdateOrigin = "OPTIKS_UPDATE_URL; else 127.0.0.1 at OPTIKS_UPDATE_PORT, default 8311";

    /// <summary>Returns one or several addresses, separated by commas, as written.</summary>
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
