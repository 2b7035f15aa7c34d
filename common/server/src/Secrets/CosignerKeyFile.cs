using System.Security.Cryptography;
using System.Text;
using Optiks.Native;
using Optiks.Tlog;

namespace Optiks.Secrets;

/// <summary>
/// Reads and writes the private key of a witness or an auditor. The file has one line in the form of golang.org/x/mod/sumdb/note, which
/// other witness programs read too: <c>PRIVATE+KEY+name+key id+base64(0x01 || seed)</c>. The key id in the line is computed for the
/// signature type 0x01. The cosignatures that Optiks makes with the key carry another key id, which is computed for the type 0x04.
/// </summary>
public static class CosignerKeyFile
{
    private const string Prefix = "PRIVATE+KEY+";
    private const int TypedLength = 1 + Ed25519.SeedLength;

    /// <summary>
    /// Makes a new key in a new file of mode 0600 and returns its public key, of type 0x04. Throws <see cref="SecretsException"/> if the
    /// file exists or the name is invalid.
    /// </summary>
    public static VerifierKey Create(string path, string name) => Create(path, name, SignatureType.CosignatureV1);

    /// <summary>Makes a key whose public key has the given signature type. The file's format is the same for every type.</summary>
    internal static VerifierKey Create(string path, string name, SignatureType type)
    {
        byte[] seed = RandomNumberGenerator.GetBytes(Ed25519.SeedLength);
        byte[] typed = [(byte)SignatureType.Ed25519, .. seed];
        byte[] line = [];
        try
        {
            using NoteSigner signer = Open(name, type, seed);
            // The second part of the public key's text is the key id, which the file contains too.
            string[] note = new VerifierKey(name, SignatureType.Ed25519, signer.Key.PublicKey).ToString().Split('+', 3);
            line = Encoding.UTF8.GetBytes($"{Prefix}{note[0]}+{note[1]}+{Convert.ToBase64String(typed)}\n");
            return AtomicFile.TryCreate(path, line, AtomicFile.PrivateMode)
                ? signer.Key
                : throw new SecretsException($"{path} exists already: keys are never overwritten.");
        }
        catch (ArgumentException e)
        {
            throw new SecretsException(
                "A key's name must not be empty or contain a space or '+'. To make it unique, use a domain that its operator holds, followed by a path.", e);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(seed);
            CryptographicOperations.ZeroMemory(typed);
            CryptographicOperations.ZeroMemory(line);
        }
    }

    /// <summary>
    /// Opens the key for cosignatures; the caller disposes the returned signer. Throws <see cref="SecretsException"/> if other users may
    /// read the file, or if the file does not hold a key of this form.
    /// </summary>
    public static NoteSigner Open(string path) => Open(path, SignatureType.CosignatureV1);

    /// <summary>Opens the key as a signer that makes signatures of the given type.</summary>
    internal static NoteSigner Open(string path, SignatureType type)
    {
        byte[] octets = SecretFile.Read(path);
        try
        {
            return Parse(Encoding.UTF8.GetString(octets), path, type);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(octets);
        }
    }

    /// <summary>
    /// Opens the key in a text that has the form of the file; the caller disposes the returned signer. If the text is invalid, throws
    /// <see cref="SecretsException"/>, which names <paramref name="source"/> and contains no part of the text.
    /// </summary>
    /// <param name="text">The line of the file, which may end with a newline.</param>
    /// <param name="source">The origin of the text: a file or an environment variable.</param>
    public static NoteSigner Parse(string text, string source)
    {
        ArgumentNullException.ThrowIfNull(text);
        return Parse(text, source, SignatureType.CosignatureV1);
    }

    private static NoteSigner Parse(string text, string source, SignatureType type)
    {
        byte[] typed = [];
        try
        {
            // The last part is base64, which may contain '+'.
            string[] parts = text.TrimEnd('\n').Split('+', 5);
            if (parts.Length != 5 || parts[0] != "PRIVATE" || parts[1] != "KEY")
            {
                throw NoKey(source);
            }
            typed = Convert.FromBase64String(parts[4]);
            if (typed.Length != TypedLength || typed[0] != (byte)SignatureType.Ed25519)
            {
                throw NoKey(source);
            }
            NoteSigner signer = Open(parts[2], type, typed.AsSpan(1));
            if (new VerifierKey(parts[2], SignatureType.Ed25519, signer.Key.PublicKey).ToString().Split('+', 3)[1] == parts[3])
            {
                return signer;
            }
            signer.Dispose();
            throw new SecretsException($"{source}: the key id does not match the name and the key: restore the original key.");
        }
        catch (Exception e) when (e is FormatException or ArgumentException)
        {
            throw NoKey(source);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(typed);
        }
    }

    private static NoteSigner Open(string name, SignatureType type, ReadOnlySpan<byte> seed) => new(name, type, seed);

    // The exception has no inner exception, whose text might contain a part of the key.
    private static SecretsException NoKey(string source) =>
        new($"{source} does not hold a key ({Prefix}name+id+key on one line): restore the original key.");
}
