using Optiks.Protocol;

namespace Optiks.Secrets;

/// <summary>
/// WrappedLogKey is the log's key where it is no token's: wrapped by a key-encryption key in the data folder's <c>log.key</c>, in a credential with the same octets, or in a variable in base64url.
/// </summary>
public static class WrappedLogKey
{
    /// <summary>Variable that may hold it.</summary>
    public const string Variable = "OPTIKS_LOG_KEY";

    /// <summary>Credential that may hold it (<see cref="ServiceCredential"/>).</summary>
    public const string Credential = "optiks.log-key";

    /// <summary>Exists says whether there is one. Throws <see cref="SecretsException"/> for more than one source.</summary>
    public static bool Exists(DataFolder folder) => Find(folder).Exists;

    /// <summary>PathOf the file that commands may replace; null: it is in a variable or a credential.</summary>
    public static string? PathOf(DataFolder folder) => Find(folder) is { IsFile: true } source ? source.Path : null;

    /// <summary>SourceOf it, for messages.</summary>
    public static string SourceOf(DataFolder folder) => Find(folder).Name;

    /// <summary>Read gives the octets, wrapped. Throws <see cref="SecretsException"/>.</summary>
    public static byte[] Read(DataFolder folder) => Read(Find(folder));

    internal static byte[] Read(KeySource source)
    {
        byte[] octets = source.Read();
        return source.Path is not null ? octets
            : Base64UrlText.TryDecode(octets, out byte[]? decoded) ? decoded
            : throw new SecretsException($"The log's key from {source.Name} is not base64url: it holds the octets of log.key in that form.");
    }

    internal static KeySource Find(DataFolder folder) => Find(folder, Environment.GetEnvironmentVariable);

    internal static KeySource Find(DataFolder folder, Func<string, string?> environment)
    {
        ArgumentNullException.ThrowIfNull(folder);
        return KeySource.Find("The log's key", Variable, Credential, setting: null, folder.LogKey, environment);
    }
}
