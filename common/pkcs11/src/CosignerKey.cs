using System.Security.Cryptography;
using System.Text;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Pkcs11;

/// <summary>
/// Opens the key of a witness or an auditor. A file or an environment variable contains the key (<see cref="CosignerKeyFile"/>), or names a
/// key in a token. In the second case it has two lines, the public key (vkey) and a <see cref="Pkcs11Uri"/>.
/// </summary>
public static class CosignerKey
{
    /// <summary>
    /// Makes a key in a token, unless the token already has the key, and writes a new file of mode 0600 that names the key. Throws
    /// <see cref="SecretsException"/> if the file exists or an operator must repair the token, and <see cref="SignerUnavailableException"/>
    /// if the token is missing or fails.
    /// </summary>
    public static VerifierKey Create(string path, string name, string uri)
    {
        Pkcs11Uri token = ParseUri(uri, "--pkcs11");
        if (File.Exists(path))
        {
            throw Exists(path);
        }
        Pkcs11Signer signer;
        try
        {
            signer = Pkcs11Signer.OpenOrGenerate(token, name, SignatureType.CosignatureV1);
        }
        catch (ArgumentException e)
        {
            throw new SecretsException(
                "A cosigner's name must not be empty or contain a space or '+'. To make it unique, use a domain that its operator holds, followed by a path.", e);
        }
        using (signer)
        {
            return AtomicFile.TryCreate(path, Encoding.UTF8.GetBytes($"{signer.Key}\n{token}\n"), AtomicFile.PrivateMode)
                ? signer.Key
                : throw Exists(path);
        }
    }

    /// <summary>
    /// Opens the key that a file contains or names, for cosignatures; the caller disposes the signer. Throws <see cref="SecretsException"/>
    /// if the file or key is unusable, and <see cref="SignerUnavailableException"/> if a token is missing or fails.
    /// </summary>
    public static INoteSigner Open(string path)
    {
        byte[] octets = SecretFile.Read(path);
        try
        {
            return Parse(Encoding.UTF8.GetString(octets), path);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(octets);
        }
    }

    /// <summary>
    /// Opens the key that a text contains or names. Exceptions name the origin of the text (<paramref name="source"/>), and contain no part
    /// of a key.
    /// </summary>
    public static INoteSigner Parse(string text, string source)
    {
        ArgumentNullException.ThrowIfNull(text);
        string[] lines = text.TrimEnd('\n').Split('\n');
        if (lines.Length != 2 || !Pkcs11Uri.IsOne(lines[1]))
        {
            return CosignerKeyFile.Parse(text, source);
        }
        return VerifierKey.TryParse(lines[0], out VerifierKey? key, out _) && key.Type == SignatureType.CosignatureV1
            ? Pkcs11Signer.Open(ParseUri(lines[1], source), key)
            : throw new SecretsException($"{source}: its first line is not a cosigner's public key (vkey): restore the original line.");
    }

    private static SecretsException Exists(string path) => new($"{path} exists already: keys are never overwritten.");

    private static Pkcs11Uri ParseUri(string text, string source) =>
        Pkcs11Uri.TryParse(text, out Pkcs11Uri? uri, out string? problem)
            ? uri
            : throw new SecretsException($"The PKCS#11 URI of {source} cannot be used. {problem}");
}
