using System.Security.Cryptography;
using System.Text;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.ApiKeys;

/// <summary>ApiKey makes and hashes API keys: <c>optiks_</c> and 43 base64url characters. 32 random octets need no salt and no slow hash.</summary>
public static class ApiKey
{
    /// <summary>Prefix by which secret scanners know the key.</summary>
    public const string Prefix = "optiks_";

    private const int SecretLength = 32;

    /// <summary>Generate makes a new key.</summary>
    public static string Generate() => Prefix + Base64UrlText.Encode(RandomNumberGenerator.GetBytes(SecretLength));

    /// <summary>IsWellFormed says whether a text could be a key at all.</summary>
    public static bool IsWellFormed(string text) =>
        text is not null && text.StartsWith(Prefix, StringComparison.Ordinal)
        && Base64UrlText.TryDecode(text[Prefix.Length..], out byte[]? octets) && octets.Length == SecretLength;

    /// <summary>Hash gives the 32 octets by which a key is stored.</summary>
    public static byte[] Hash(string key) => SHA256.HashData(Encoding.UTF8.GetBytes(key));

    /// <summary>ReadFile reads a plain key from a file of mode 0600. Throws <see cref="SecretsException"/>.</summary>
    public static string ReadFile(string path)
    {
        byte[] octets = SecretFile.Read(path);
        string key = Encoding.UTF8.GetString(octets).TrimEnd('\n');
        CryptographicOperations.ZeroMemory(octets);
        return IsWellFormed(key) ? key : throw new SecretsException($"{path} does not hold an API key ({Prefix} and 43 characters).");
    }

    /// <summary>
    /// EnsureDevelopmentKey gives an empty data folder an API key with every scope that clients use: plain in <c>api-key</c>, hashed in <c>api-keys.json</c>.
    /// A folder that has an <c>api-keys.json</c> is left alone.
    /// </summary>
    public static void EnsureDevelopmentKey(DataFolder folder)
    {
        ArgumentNullException.ThrowIfNull(folder);
        if (File.Exists(folder.ApiKeys))
        {
            return;
        }
        // The plain key first: after a crash in between, the next start hashes the one that is there.
        AtomicFile.TryCreate(folder.ApiKey, Encoding.ASCII.GetBytes(Generate() + "\n"), AtomicFile.PrivateMode);
        string key = ReadFile(folder.ApiKey);
        var entry = new ApiKeyEntry("development", Hash(key), ApiScopes.Update | ApiScopes.History | ApiScopes.Lookup | ApiScopes.Erase);
        AtomicFile.TryCreate(folder.ApiKeys, ApiKeyFile.Format([entry]), AtomicFile.PrivateMode);
    }
}
