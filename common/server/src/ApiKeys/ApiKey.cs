using System.Security.Cryptography;
using System.Text;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.ApiKeys;

/// <summary>
/// Makes and hashes API keys. The text of a key is <c>optiks_</c> and 43 base64url characters. It encodes 32 random bytes, so its hash
/// needs no salt and need not be slow.
/// </summary>
public static class ApiKey
{
    /// <summary>The prefix by which secret scanners recognize the key.</summary>
    public const string Prefix = "optiks_";

    private const int SecretLength = 32;

    /// <summary>Makes a new key.</summary>
    public static string Generate() => Prefix + Base64UrlText.Encode(RandomNumberGenerator.GetBytes(SecretLength));

    /// <summary>Returns whether a text has the form of an API key.</summary>
    public static bool IsWellFormed(string text) =>
        text is not null && text.StartsWith(Prefix, StringComparison.Ordinal)
        && Base64UrlText.TryDecode(text[Prefix.Length..], out byte[]? octets) && octets.Length == SecretLength;

    /// <summary>Returns the 32-byte hash that is stored in place of an API key.</summary>
    public static byte[] Hash(string key) => SHA256.HashData(Encoding.UTF8.GetBytes(key));

    /// <summary>Reads an API key in plain text from a file of mode 0600. Throws <see cref="SecretsException"/> if the file is
    /// unusable.</summary>
    public static string ReadFile(string path)
    {
        byte[] octets = SecretFile.Read(path);
        string key = Encoding.UTF8.GetString(octets).TrimEnd('\n');
        CryptographicOperations.ZeroMemory(octets);
        return IsWellFormed(key) ? key : throw new SecretsException($"{path} does not hold an API key ({Prefix} and 43 characters).");
    }

    /// <summary>
    /// Makes an API key for a new data folder, with every scope that clients use. Writes the key in plain text to <c>api-key</c> and its
    /// hash to <c>api-keys.json</c>. Does nothing if the folder already has an <c>api-keys.json</c>.
    /// </summary>
    public static void EnsureDevelopmentKey(DataFolder folder)
    {
        ArgumentNullException.ThrowIfNull(folder);
        if (File.Exists(folder.ApiKeys))
        {
            return;
        }
        // The plain key is written before its hash, so that after a crash between the two writes, the next start hashes the key that it
        // finds.
        AtomicFile.TryCreate(folder.ApiKey, Encoding.ASCII.GetBytes(Generate() + "\n"), AtomicFile.PrivateMode);
        string key = ReadFile(folder.ApiKey);
        var entry = new ApiKeyEntry("development", Hash(key), ApiScopes.Update | ApiScopes.History | ApiScopes.Lookup | ApiScopes.Erase);
        AtomicFile.TryCreate(folder.ApiKeys, ApiKeyFile.Format([entry]), AtomicFile.PrivateMode);
    }
}
