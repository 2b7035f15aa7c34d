using System.Security.Cryptography;
using Net.Pkcs11Interop.Common;
using Net.Pkcs11Interop.HighLevelAPI;
using Net.Pkcs11Interop.HighLevelAPI.Factories;
using Net.Pkcs11Interop.HighLevelAPI.MechanismParams;
using Optiks.Secrets;

namespace Optiks.Pkcs11;

/// <summary>
/// Encrypts and decrypts with an AES-256 key that never leaves its token (CKM_AES_GCM, with nonces that the caller supplies). Throws
/// <see cref="SignerUnavailableException"/> if the token fails. Only one thread at a time may use a cipher.
/// </summary>
public sealed class TokenCipher : IKeyCipher
{
    private const int BitsPerOctet = 8;
    private const int TagLength = 16;
    private const int NonceLength = 12;

    private readonly Pkcs11Uri _uri;
    private readonly TokenSession _token;
    private readonly IObjectHandle _key;

    private TokenCipher(Pkcs11Uri uri, TokenSession token, IObjectHandle key)
    {
        _uri = uri;
        _token = token;
        _key = key;
    }

    private static Pkcs11InteropFactories Factories => TokenSession.Factories;

    /// <summary>
    /// Opens the key that the URI names. Throws <see cref="SecretsException"/> after faults that an operator must repair: an invalid URI,
    /// an unusable library, a wrong PIN, a missing key, or a key that is not an AES-256 key. Throws
    /// <see cref="SignerUnavailableException"/> if the token is missing or fails.
    /// </summary>
    public static TokenCipher Open(string uri) => Open(Parse(uri), makeNew: false);

    /// <summary>Opens the key that the URI names, and makes it if the token does not have it.</summary>
    public static TokenCipher OpenOrGenerate(string uri) => Open(Parse(uri), makeNew: true);

    /// <inheritdoc/>
    public byte[] Encrypt(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> plaintext, ReadOnlySpan<byte> associatedData)
    {
        byte[] copy = plaintext.ToArray();
        try
        {
            return Use(nonce, associatedData, mechanism => _token.Session.Encrypt(mechanism, _key, copy));
        }
        finally
        {
            CryptographicOperations.ZeroMemory(copy);
        }
    }

    /// <inheritdoc/>
    public bool TryDecrypt(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> ciphertextAndTag, Span<byte> plaintext,
        ReadOnlySpan<byte> associatedData)
    {
        byte[] input = ciphertextAndTag.ToArray();
        byte[]? opened = Use(nonce, associatedData, mechanism =>
        {
            try
            {
                return _token.Session.Decrypt(mechanism, _key, input);
            }
            catch (Pkcs11Exception e)
                when (e.RV is CKR.CKR_ENCRYPTED_DATA_INVALID or CKR.CKR_ENCRYPTED_DATA_LEN_RANGE or CKR.CKR_SIGNATURE_INVALID
                    or CKR.CKR_GENERAL_ERROR)
            {
                // PKCS#11 libraries report a wrong tag with different errors; SoftHSM reports a general failure. To find out whether the
                // token has failed, the code encrypts something. If this succeeds, the token works, so the tag was wrong.
                _ = Encrypt(RandomNumberGenerator.GetBytes(NonceLength), [0], []);
                return null;
            }
        });
        if (opened is null)
        {
            return false;
        }
        opened.CopyTo(plaintext);
        CryptographicOperations.ZeroMemory(opened);
        return true;
    }

    /// <inheritdoc/>
    public void Dispose() => _token.Dispose();

    private static Pkcs11Uri Parse(string uri) => Pkcs11Uri.TryParse(uri, out Pkcs11Uri? parsed, out string? problem) ? parsed
        : throw new SecretsException($"The PKCS#11 URI of a key-encryption key cannot be used. {problem}");

    private static TokenCipher Open(Pkcs11Uri uri, bool makeNew)
    {
        if (!uri.IsFor(Pkcs11Uri.SecretKey))
        {
            throw new SecretsException($"{uri}: its type is not '{Pkcs11Uri.SecretKey}'.");
        }
        try
        {
            var token = TokenSession.Open(
                uri, PinFile.GetShared(uri.PinFile), makeNew, (ulong)CKM.CKM_AES_GCM, "encrypt with AES-GCM (CKM_AES_GCM)");
            try
            {
                IObjectHandle key = token.TryFind(
                    uri, CKO.CKO_SECRET_KEY, "secret key", (ulong)CKK.CKK_AES, "AES (CKK_AES)", out IObjectHandle? found) ? found
                    : makeNew ? Generate(token.Session, uri)
                    : throw new SecretsException(
                        $"{uri}: the token has no such secret key, or hides it from this PIN: correct object and id, or make the key.");
                return token.Session.GetAttributeValue(key, [CKA.CKA_VALUE_LEN])[0] is { CannotBeRead: false } length
                    && length.GetValueAsUlong() != KeyEncryptionKey.Length
                    ? throw new SecretsException($"{uri}: that key is not an AES-256 key: it has {length.GetValueAsUlong()} bytes.")
                    : new TokenCipher(uri, token, key);
            }
            catch
            {
                token.Dispose();
                throw;
            }
        }
        catch (Pkcs11Exception e)
        {
            throw Unavailable(uri, e);
        }
    }

    private static IObjectHandle Generate(ISession session, Pkcs11Uri uri)
    {
        IObjectAttributeFactory attributes = Factories.ObjectAttributeFactory;
        using IMechanism mechanism = Factories.MechanismFactory.Create(CKM.CKM_AES_KEY_GEN);
        return session.GenerateKey(
            mechanism,
            [
                .. TokenSession.Names(uri), attributes.Create(CKA.CKA_CLASS, CKO.CKO_SECRET_KEY),
                attributes.Create(CKA.CKA_KEY_TYPE, CKK.CKK_AES), attributes.Create(CKA.CKA_TOKEN, true),
                attributes.Create(CKA.CKA_VALUE_LEN, (ulong)KeyEncryptionKey.Length), attributes.Create(CKA.CKA_ENCRYPT, true),
                attributes.Create(CKA.CKA_DECRYPT, true),
                attributes.Create(CKA.CKA_PRIVATE, true), attributes.Create(CKA.CKA_SENSITIVE, true),
                attributes.Create(CKA.CKA_EXTRACTABLE, false),
            ]);
    }

    private T Use<T>(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> associatedData, Func<IMechanism, T> use)
    {
        try
        {
            using ICkGcmParams parameters = Factories.MechanismParamsFactory.CreateCkGcmParams(
                nonce.ToArray(), (ulong)nonce.Length * BitsPerOctet, associatedData.ToArray(), TagLength * BitsPerOctet);
            using IMechanism mechanism = Factories.MechanismFactory.Create(CKM.CKM_AES_GCM, parameters);
            return use(mechanism);
        }
        catch (Pkcs11Exception e)
        {
            throw Unavailable(_uri, e);
        }
    }

    private static SignerUnavailableException Unavailable(Pkcs11Uri uri, Pkcs11Exception e) =>
        new($"{uri}: the token fails ({e.RV} in {e.Method}).", e);
}
