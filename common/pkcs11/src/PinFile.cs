using System.Collections.Concurrent;
using System.Security.Cryptography;
using Optiks.Secrets;

namespace Optiks.Pkcs11;

/// <summary>
/// Reads a token's PIN from a file for each login, so that the PIN may be changed. After the token has refused a PIN, this class does not
/// try again until the file has changed, because tokens lock themselves after a few wrong PINs. Only one thread at a time may use an
/// instance.
/// </summary>
internal sealed class PinFile
{
    private static readonly ConcurrentDictionary<string, PinFile> s_shared = new(StringComparer.Ordinal);

    private readonly string _path;
    private DateTime? _refused;

    public PinFile(string path) => _path = path;

    /// <summary>
    /// Returns the instance for the file at this path. All keys of the process share it, so that no key tries a PIN again that the token
    /// has refused.
    /// </summary>
    public static PinFile GetShared(string path) => s_shared.GetOrAdd(path, one => new PinFile(one));

    /// <summary>
    /// Passes the PIN to an action, and overwrites the PIN when the action returns. Throws <see cref="SecretsException"/> if other users
    /// may access the file, and <see cref="SignerUnavailableException"/> if the token refuses the PIN or refused it earlier.
    /// </summary>
    public void Use(Action<byte[]> action)
    {
        DateTime written = File.GetLastWriteTimeUtc(_path);
        if (written == _refused)
        {
            throw new SignerUnavailableException(
                $"The token refused the PIN in {_path}, which will not be tried again: put the right PIN there.");
        }
        byte[] octets = SecretFile.Read(_path);
        byte[] pin = octets.AsSpan().EndsWith("\n"u8) ? octets[..^1] : [.. octets];
        try
        {
            if (pin.Length == 0)
            {
                throw new SecretsException($"{_path} is empty: put the token's user PIN there, on one line.");
            }
            action(pin);
        }
        catch (PinRefusedException e)
        {
            _refused = written;
            throw new SecretsException(
                $"The token refused the PIN in {_path} ({e.Code}): put the right PIN there, or have the token unlocked. The PIN was tried once and will not be tried again.", e);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(octets);
            CryptographicOperations.ZeroMemory(pin);
        }
    }
}
