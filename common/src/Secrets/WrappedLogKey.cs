using Optiks.Protocol;

namespace Optiks.Secrets;

/// <summary>
/// Reads the log's key if it is not in a token. The key is wrapped by a key-encryption key. The wrapped key is in the data folder's
/// <c>log.key</c>, in a credential with the same bytes, or in a variable in base64url.
/// </summary>
public static class WrappedLogKey
{
    /// <summary>The variable that may hold the wrapped log key.</summary>
    public const string Variable = "OPTIKS_LOG_KEY";

    /// <summary>The credential that may hold the wrapped log key (<see cref="ServiceCredential"/>).</summary>
    public const string Credential = "optiks.log-key";

    /// <summary>
    /// Returns whether there is a log key. Throws <see cref="SecretsException"/> if the operator has set more than one source.
    /// </summary>
    public static bool Exists(DataFolder folder) => Find(folder).Exists;

    /// <summary>Returns the path of the file that commands may replace; null if the key is in a variable or a credential.</summary>
    public static string? FindPath(DataFolder folder) => Find(folder) is { IsFile: true } source ? source.Path : null;

    /// <summary>Returns the key's source, for messages.</summary>
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
