using Optiks.Protocol;

namespace Optiks.Secrets;

/// <summary>
/// Reads the log's wrapped key, if the key is not in a token. A key-encryption key wraps it. The source is the data folder's file
/// <c>log.key</c>, a credential with the same bytes, or a variable with these bytes in base64url.
/// </summary>
public static class WrappedLogKey
{
    /// <summary>The environment variable that may hold the wrapped log key.</summary>
    public const string Variable = "OPTIKS_LOG_KEY";

    /// <summary>The credential that may hold the wrapped log key (<see cref="ServiceCredential"/>).</summary>
    public const string Credential = "optiks.log-key";

    /// <summary>
    /// Returns whether a wrapped log key exists. Throws <see cref="SecretsException"/> if the operator has set more than one source.
    /// </summary>
    public static bool Exists(DataFolder folder) => Find(folder).Exists;

    /// <summary>Returns the path of the key's file, which commands may replace. Returns null if the key is in a variable or a
    /// credential.</summary>
    public static string? FindPath(DataFolder folder) => Find(folder) is { IsFile: true } source ? source.Path : null;

    /// <summary>Returns the name of the key's source, which messages show.</summary>
    public static string DescribeSource(DataFolder folder) => Find(folder).Name;

    /// <summary>Returns the wrapped key. Throws <see cref="SecretsException"/> if the key is missing or its source is unusable.</summary>
    public static byte[] Read(DataFolder folder) => Read(Find(folder));

    internal static byte[] Read(KeySource source)
    {
        byte[] octets = source.Read();
        return source.Path is not null ? octets
            : Base64UrlText.TryDecode(octets, out byte[]? decoded) ? decoded
            : throw new SecretsException($"The log's key from {source.Name} is not base64url: give the bytes of log.key in that form.");
    }

    internal static KeySource Find(DataFolder folder) => Find(folder, Environment.GetEnvironmentVariable);

    internal static KeySource Find(DataFolder folder, Func<string, string?> environment)
    {
        ArgumentNullException.ThrowIfNull(folder);
        return KeySource.Find("The log's key", Variable, Credential, setting: null, folder.LogKey, environment);
    }
}
