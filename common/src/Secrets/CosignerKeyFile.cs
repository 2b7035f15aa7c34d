using System.Security.Cryptography;
using System.Text;
using Optiks.Native;
using Optiks.Tlog;

namespace Optiks.Secrets;

/// <summary>
/// Reads and writes the private key of a witness or an auditor. The file has one line in the form of golang.org/x/mod/sumdb/note, which
/// other witness programs read too: <c>PRIVATE+KEY+name+key id+base64(0x01 || seed)</c>. The line contains the key id of a note key. The
/// signatures that Optiks makes with the key carry the key id of a cosigner.
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

    /// <summary>Makes a key whose public key has this type. The file is the same for each type.</summary>
    internal static VerifierKey Create(string path, string name, SignatureType type)
    {
        byte[] seed = RandomNumberGenerator.GetBytes(Ed25519.SeedLength);
        byte[] typed = [(byte)SignatureType.Ed25519, .. seed];
        byte[] line = [];
        try
        {
            using NoteSigner signer = Open(name, type, seed);
            // The text of the public key contains the key id too, between the name and the key.
            string[] note = new VerifierKey(name, SignatureType.Ed25519, signer.Key.PublicKey).ToString().Split('+', 3);
            line = Encoding.UTF8.GetBytes($"{Prefix}{note[0]}+{note[1]}+{Convert.ToBase64String(typed)}\n");
            return AtomicFile.TryCreate(path, line, AtomicFile.PrivateMode)
                ? signer.Key
                : throw new SecretsException($"{path} exists already: keys are never overwritten.");
        }
        catch (ArgumentException e)
        {
            throw new SecretsException("A key's name must not be empty or contain a space or '+'. To make it unique, use a domain that its operator holds, followed by a path.", e);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(seed);
            CryptographicOperations.ZeroMemory(typed);
            CryptographicOperations.ZeroMemory(line);
        }
    }

    /// <summary>
    /// Opens the key for cosignatures; the caller disposes it. Throws <see cref="SecretsException"/> if others may read the file or it does
    /// not hold such a key.
    /// </summary>
    public static NoteSigner Open(string path) => Open(path, SignatureType.CosignatureV1);

    /// <summary>Opens a key that makes signatures of this type.</summary>
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
    /// Opens the key in a text of the same form; the caller disposes the key. Throws <see cref="SecretsException"/>, which names
    /// <paramref name="source"/> and contains no part of the text.
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
            // The last part may contain '+' itself.
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

    // The inner exception is left out: its text might contain a part of the key.
    private static SecretsException NoKey(string source) => new($"{source} does not hold a key ({Prefix}name+id+key on one line): restore the original key.");
}
