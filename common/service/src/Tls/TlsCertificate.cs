using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Optiks.Secrets;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Holds the certificate of TLS listeners. The certificate can be replaced while the listeners are open: later handshakes use the new
/// certificate, and existing connections continue. Any thread may use it.
/// </summary>
internal sealed class TlsCertificate
{
    private readonly string _certificateFile;
    private readonly string _keyFile;
    private volatile Pair _current;

    /// <summary>
    /// Reads the certificate's file and the key's file. Throws <see cref="StartupException"/> or <see cref="SecretsException"/> if the
    /// files are unusable.
    /// </summary>
    public TlsCertificate(string certificateFile, string keyFile)
    {
        _certificateFile = Path.GetFullPath(certificateFile);
        _keyFile = Path.GetFullPath(keyFile);
        _current = Read();
    }

    /// <summary>The current certificate.</summary>
    public Pair Current => _current;

    /// <summary>
    /// Reads the two files again and returns the certificate in them, without changing <see cref="Current"/>. Throws the same exceptions as
    /// the constructor.
    /// </summary>
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
            // With `offline`, .NET does not fetch missing issuer certificates from the network.
            return new Pair(leaf, SslStreamCertificateContext.Create(leaf, [.. chain.Skip(1)], offline: true));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StartupException($"{_certificateFile} cannot be read: {e.Message}", e);
        }
        // The new exception has no inner exception, whose text might contain a part of the key.
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

    /// <summary>Uses this certificate from now on. The earlier certificate is not disposed, because handshakes may still use it.</summary>
    public void Use(Pair pair) => _current = pair;

    /// <summary>Holds a certificate with its key, and the context that handshakes use, which also has the certificates of the
    /// issuers.</summary>
    /// <param name="Leaf">The service's own certificate.</param>
    /// <param name="Context">The certificate with the intermediate certificates between it and the root.</param>
    internal sealed record Pair(X509Certificate2 Leaf, SslStreamCertificateContext Context);
}
