namespace Optiks.Commands;

/// <summary>ServiceAddresses are where a command looks for the services when no option says: <c>OPTIKS_QUERY_URL</c>, else this machine at <c>OPTIKS_QUERY_PORT</c>, to which <c>make up</c> listens as well, else the default port; likewise for updates.</summary>
public static class ServiceAddresses
{
    /// <summary>QueryOrigin says where <see cref="Query"/> comes from, for help.</summary>
    public const string QueryOrigin = "OPTIKS_QUERY_URL, comma-separated; else 127.0.0.1 at OPTIKS_QUERY_PORT, default 8301";

    /// <summary>UpdateOrigin says where <see cref="Update"/> comes from, for help.</summary>
    public const string UpdateOrigin = "OPTIKS_UPDATE_URL; else 127.0.0.1 at OPTIKS_UPDATE_PORT, default 8311";

    /// <summary>Query gives one or several addresses, separated by commas, as they were written.</summary>
    public static string Query(Func<string, string?> environment) => Address(environment, "OPTIKS_QUERY", "8301");

    /// <summary>Update gives the address of the update-service.</summary>
    public static string Update(Func<string, string?> environment) => Address(environment, "OPTIKS_UPDATE", "8311");

    private static string Address(Func<string, string?> environment, string name, string port)
    {
        ArgumentNullException.ThrowIfNull(environment);
        return environment($"{name}_URL") is { Length: > 0 } url ? url
            : $"http://127.0.0.1:{(environment($"{name}_PORT") is { Length: > 0 } given ? given : port)}";
    }
}
