using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Optiks.Secrets;

namespace Optiks.ServiceDefaults;

/// <summary>
/// TlsCertificate is what listeners with TLS show. It can be exchanged while they listen: handshakes that begin afterwards have the new one, connections that are there go on. Any thread.
/// </summary>
internal sealed class TlsCertificate
{
    private readonly string _certificateFile;
    private readonly string _keyFile;
    private volatile Pair _current;

    /// <summary>TlsCertificate of the two files. Throws <see cref="StartupException"/> or <see cref="SecretsException"/> when they do not do.</summary>
    public TlsCertificate(string certificateFile, string keyFile)
    {
        _certificateFile = Path.GetFullPath(certificateFile);
        _keyFile = Path.GetFullPath(keyFile);
        _current = Read();
    }

    /// <summary>Current certificate.</summary>
    public Pair Current => _current;

    /// <summary>Read gives what the files hold now, and leaves <see cref="Current"/> as it is. Throws as the constructor does.</summary>
    public Pair Read()
    {
        byte[] octets = SecretFile.Read(_keyFile);
        char[] key = GC.AllocateUninitializedArray<char>(Encoding.UTF8.GetCharCount(octets), pinned: true);
        try
        {
            Encoding.UTF8.GetChars(octets, key);
            string pem = File.ReadAllText(_certificateFile);
            X509Certificate2 leaf = X509Certificate2.CreateFromPem(pem, key);
            var chain = new X509Certificate2Collection();
            chain.ImportFromPem(pem);
            // Offline: nobody is asked for what the file lacks.
            return new Pair(leaf, SslStreamCertificateContext.Create(leaf, [.. chain.Skip(1)], offline: true));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StartupException($"{_certificateFile} cannot be read: {e.Message}", e);
        }
        // Without what failed: its text might hold a part of the key.
        catch (Exception e) when (e is CryptographicException or ArgumentException)
        {
            throw new StartupException($"{_certificateFile} and {_keyFile} are not a certificate and its key in PEM.");
        }
        finally
        {
            CryptographicOperations.ZeroMemory(octets);
            Array.Clear(key);
        }
    }

    /// <summary>Use shows this one from now on. The one before is not disposed: handshakes may be under way.</summary>
    public void Use(Pair pair) => _current = pair;

    /// <summary>Pair of a certificate with its key, and the form with those above it that handshakes take.</summary>
    /// <param name="Leaf">The service's own.</param>
    /// <param name="Context">With those between it and the root.</param>
    internal sealed record Pair(X509Certificate2 Leaf, SslStreamCertificateContext Context);
}
