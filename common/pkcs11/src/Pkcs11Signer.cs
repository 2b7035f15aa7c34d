using System.Security.Cryptography;
using Net.Pkcs11Interop.Common;
using Optiks.Native;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Pkcs11;

/// <summary>
/// Signs with a private key that never leaves its token. If the token fails or its session is lost, the signer reopens the library, the
/// session and the key. Until reopening succeeds, members throw <see cref="SignerUnavailableException"/>. Any thread may use a signer,
/// which makes one signature at a time.
/// </summary>
/// <remarks>
/// Invariant: after the key is opened, and before it signs anything else, it signs a fixed message of this class twice. Both signatures
/// must be valid with <see cref="Key"/> and must have the same bytes, as RFC 8032 requires. Recovery from crashes relies on this.
/// </remarks>
public sealed class Pkcs11Signer : INoteSigner
{
    // The fixed message. It cannot be taken for a note or a cosignature, because a note's text contains no zero byte.
    private static readonly byte[] s_probe = [.. "optiks: is this key the configured one?\0"u8];
    private const int ProbeLength = 32;

    // The number of attempts to sign. Before the second attempt, the library, the session and the key are opened again.
    private const int Attempts = 2;

    private readonly Pkcs11Uri _uri;
    private readonly PinFile _pin;
    private readonly Lock _lock = new();
    private Pkcs11Key? _token;
    private bool _disposed;

    private Pkcs11Signer(Pkcs11Uri uri, VerifierKey key, PinFile pin)
    {
        _uri = uri;
        _pin = pin;
        Key = key;
    }

    /// <inheritdoc/>
    public VerifierKey Key { get; }

    /// <summary>
    /// Opens a key in a token, which must belong to the public key <paramref name="key"/>. Throws <see cref="SecretsException"/> after
    /// faults that an operator must repair, such as a refused PIN or a token with another key. Throws
    /// <see cref="SignerUnavailableException"/> if the token is missing or fails.
    /// </summary>
    public static Pkcs11Signer Open(Pkcs11Uri uri, VerifierKey key)
    {
        ArgumentNullException.ThrowIfNull(uri);
        ArgumentNullException.ThrowIfNull(key);
        var signer = new Pkcs11Signer(uri, key, new PinFile(uri.PinFile));
        try
        {
            signer.Try(token => token);
            return signer;
        }
        catch
        {
            signer.Dispose();
            throw;
        }
    }

    /// <summary>Opens a key in a token. The public key comes from the token, and the parameter <paramref name="name"/> is the key's name in
    /// signatures.</summary>
    public static Pkcs11Signer OpenExisting(Pkcs11Uri uri, string name, SignatureType type) => Open(uri, name, type, Pkcs11Key.Open);

    /// <summary>Opens a key in a token, and makes the key first if the token does not have it. In all other respects it works like
    /// <see cref="OpenExisting"/>.</summary>
    public static Pkcs11Signer OpenOrGenerate(Pkcs11Uri uri, string name, SignatureType type) =>
        Open(uri, name, type, Pkcs11Key.OpenOrGenerate);

    private static Pkcs11Signer Open(Pkcs11Uri uri, string name, SignatureType type, Func<Pkcs11Uri, PinFile, Pkcs11Key> open)
    {
        ArgumentNullException.ThrowIfNull(uri);
        byte[] publicKey;
        try
        {
            using Pkcs11Key found = open(uri, new PinFile(uri.PinFile));
            publicKey = found.PublicKey(uri);
        }
        catch (Pkcs11Exception e)
        {
            throw Unavailable(uri, e);
        }
        return Open(uri, new VerifierKey(name, type, publicKey));
    }

    /// <inheritdoc/>
    public ValueTask<byte[]> SignAsync(ReadOnlyMemory<byte> message, CancellationToken cancellationToken)
    {
        byte[] octets = message.ToArray();
        // Signing runs on another thread, so that a slow token does not block the caller's thread.
        return new ValueTask<byte[]>(Task.Run(() => Sign(octets), cancellationToken));
    }

    /// <inheritdoc/>
    public override string ToString() => $"signer of {Key.Name} in {_uri}";

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_lock)
        {
            _disposed = true;
            Close();
        }
    }

    private static SignerUnavailableException Unavailable(Pkcs11Uri uri, Pkcs11Exception e) =>
        new($"{uri}: the token fails ({e.RV} in {e.Method}).", e);

    private byte[] Sign(byte[] message)
    {
        byte[] signature;
        try
        {
            signature = Try(token => token.Sign(message));
        }
        catch (SecretsException e)
        {
            // The token or its PIN has changed since the program started. After an operator has repaired this, the program signs again
            // without a restart.
            throw new SignerUnavailableException(e.Message, e);
        }
        return Ed25519.Verify(Key.PublicKey, message, signature)
            ? signature
            : throw new SignerUnavailableException($"{_uri}: the token made a signature that does not verify.");
    }

    private T Try<T>(Func<Pkcs11Key, T> use)
    {
        lock (_lock)
        {
            for (int attempt = 1; ; attempt++)
            {
                ObjectDisposedException.ThrowIf(_disposed, this);
                try
                {
                    return use(_token ??= OpenChecked());
                }
                catch (Pkcs11Exception e)
                {
                    Close();
                    if (attempt == Attempts)
                    {
                        throw Unavailable(_uri, e);
                    }
                }
            }
        }
    }

    private Pkcs11Key OpenChecked()
    {
        Pkcs11Key token = Pkcs11Key.Open(_uri, _pin);
        try
        {
            byte[] probe = [.. s_probe, .. RandomNumberGenerator.GetBytes(ProbeLength)];
            byte[] signature = token.Sign(probe);
            if (!Ed25519.Verify(Key.PublicKey, probe, signature))
            {
                throw new SecretsException($"{_uri} is not the key of {Key}: name the right key. Nothing was signed.");
            }
            return token.Sign(probe).AsSpan().SequenceEqual(signature) ? token
                : throw new SecretsException(
                    $"{_uri}: the token made two different signatures of one message. Use a token whose Ed25519 signatures are deterministic, as RFC 8032 requires.");
        }
        catch
        {
            token.Dispose();
            throw;
        }
    }

    private void Close()
    {
        _token?.Dispose();
        _token = null;
    }
}
