using System.Collections.Concurrent;
using System.Security.Cryptography;
using Optiks.Secrets;

namespace Optiks.Pkcs11;

/// <summary>
/// Reads a token's PIN for each login, so that the PIN may be changed. Once the token has refused a PIN, this class retries only after the
/// file has changed: tokens lock themselves after a few attempts. One thread at a time.
/// </summary>
internal sealed class PinFile
{
    private static readonly ConcurrentDictionary<string, PinFile> s_shared = new(StringComparer.Ordinal);

    private readonly string _path;
    private DateTime? _refused;

    public PinFile(string path) => _path = path;

    /// <summary>
    /// Returns the one instance for a path in this process. Keys are opened repeatedly, and no key may retry a PIN that the token refused
    /// once.
    /// </summary>
    public static PinFile GetShared(string path) => s_shared.GetOrAdd(path, one => new PinFile(one));

    /// <summary>
    /// Passes the PIN to an action, then overwrites it. Throws <see cref="SecretsException"/> if the file is open to others, and
    /// <see cref="SignerUnavailableException"/> if the token refused the PIN.
    /// </summary>
    public void Use(Action<byte[]> action)
    {
        DateTime written = File.GetLastWriteTimeUtc(_path);
        if (written == _refused)
        {
            throw new SignerUnavailableException($"The token refused the PIN in {_path}, which will not be tried again: put the right PIN there.");
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
            throw new SecretsException($"The token refused the PIN in {_path} ({e.Code}): put the right PIN there, or have the token unlocked. The PIN was tried once and will not be tried again.", e);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(octets);
            CryptographicOperations.ZeroMemory(pin);
        }
    }
}
