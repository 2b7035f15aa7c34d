using System.Security.Cryptography;
using Net.Pkcs11Interop.Common;
using Net.Pkcs11Interop.HighLevelAPI;
using Net.Pkcs11Interop.HighLevelAPI.Factories;
using Optiks.Secrets;

namespace Optiks.Pkcs11;

/// <summary>
/// Signs with a private Ed25519 key in a token, in a session that is logged in. Members throw <see cref="Pkcs11Exception"/> if the token
/// fails. Only one thread at a time may use a key.
/// </summary>
internal sealed class Pkcs11Key : IDisposable
{
    // These values are from pkcs11t.h of PKCS #11 3.0. The enumerations of the .NET binding are older and lack them.
    private const ulong CKK_EC_EDWARDS = 0x40;
    private const ulong CKM_EC_EDWARDS_KEY_PAIR_GEN = 0x1055;
    private const ulong CKM_EDDSA = 0x1057;

    // The object identifier of Ed25519, 1.3.101.112 (RFC 8410), in DER.
    private static readonly byte[] s_ed25519 = [0x06, 0x03, 0x2b, 0x65, 0x70];

    private readonly TokenSession _token;
    private readonly IObjectHandle _key;

    private Pkcs11Key(TokenSession token, IObjectHandle key)
    {
        _token = token;
        _key = key;
    }

    private static IObjectAttributeFactory Attributes => TokenSession.Factories.ObjectAttributeFactory;

    /// <summary>
    /// Opens the key. Throws <see cref="SecretsException"/> after faults that an operator must repair: an unusable library, a wrong PIN, a
    /// missing key, or a key that is not an Ed25519 key. Throws <see cref="SignerUnavailableException"/> if the token is missing.
    /// </summary>
    public static Pkcs11Key Open(Pkcs11Uri uri, PinFile pin) => Open(uri, pin, makeNew: false);

    /// <summary>Opens the key that the URI names, and makes it if the token does not have it. The key never leaves the token.</summary>
    public static Pkcs11Key OpenOrGenerate(Pkcs11Uri uri, PinFile pin) => Open(uri, pin, makeNew: true);

    /// <summary>Signs a message and returns the 64 bytes of the signature.</summary>
    public byte[] Sign(byte[] message)
    {
        using IMechanism mechanism = TokenSession.Factories.MechanismFactory.Create(CKM_EDDSA);
        return _token.Session.Sign(mechanism, _key, message);
    }

    /// <summary>
    /// Reads the public key from the token. It is in the object that has the same id as the private key, or otherwise the same label.
    /// Throws <see cref="SecretsException"/> if there is no such object.
    /// </summary>
    public byte[] PublicKey(Pkcs11Uri uri)
    {
        List<IObjectAttribute> names = _token.Session.GetAttributeValue(_key, [CKA.CKA_ID, CKA.CKA_LABEL]);
        List<IObjectAttribute> search = [Attributes.Create(CKA.CKA_CLASS, CKO.CKO_PUBLIC_KEY)];
        byte[] id = names[0].CannotBeRead ? [] : names[0].GetValueAsByteArray();
        search.Add(id.Length > 0 ? Attributes.Create(CKA.CKA_ID, id) : Attributes.Create(CKA.CKA_LABEL, names[1].GetValueAsByteArray()));
        List<IObjectHandle> found = _token.Session.FindAllObjects(search);
        return found.Count == 1 && _token.Session.GetAttributeValue(found[0], [CKA.CKA_EC_POINT]) is [{ CannotBeRead: false } point]
            && Ed25519Point.TryRead(point.GetValueAsByteArray(), out byte[]? key)
            ? key
            : throw new SecretsException(
                $"{uri}: the token has {found.Count} public keys for this private key, and needs exactly one, of Ed25519: import it with the same id.");
    }

    /// <inheritdoc/>
    public void Dispose() => _token.Dispose();

    private static Pkcs11Key Open(Pkcs11Uri uri, PinFile pin, bool makeNew)
    {
        if (!uri.IsFor(Pkcs11Uri.PrivateKey))
        {
            throw new SecretsException($"{uri}: its type is not '{Pkcs11Uri.PrivateKey}'.");
        }
        var token = TokenSession.Open(uri, pin, makeNew, CKM_EDDSA, "make Ed25519 signatures (CKM_EDDSA)");
        try
        {
            IObjectHandle key = token.TryFind(
                uri, CKO.CKO_PRIVATE_KEY, "private key", CKK_EC_EDWARDS, "Ed25519 (CKK_EC_EDWARDS)", out IObjectHandle? found) ? found
                : makeNew ? Generate(token.Session, uri)
                : throw new SecretsException(
                    $"{uri}: the token has no such private key, or hides it from this PIN: correct object and id, or make the key.");
            return new Pkcs11Key(token, key);
        }
        catch
        {
            token.Dispose();
            throw;
        }
    }

    private static IObjectHandle Generate(ISession session, Pkcs11Uri uri)
    {
        List<IObjectAttribute> Both()
        {
            List<IObjectAttribute> both = [Attributes.Create(CKA.CKA_TOKEN, true), .. TokenSession.Names(uri)];
            return both;
        }
        List<IObjectAttribute> id = uri.Id is null ? [Attributes.Create(CKA.CKA_ID, RandomNumberGenerator.GetBytes(16))] : [];
        using IMechanism mechanism = TokenSession.Factories.MechanismFactory.Create(CKM_EC_EDWARDS_KEY_PAIR_GEN);
        session.GenerateKeyPair(
            mechanism,
            [.. Both(), .. id, Attributes.Create(CKA.CKA_VERIFY, true), Attributes.Create(CKA.CKA_EC_PARAMS, s_ed25519)],
            [
                .. Both(), .. id, Attributes.Create(CKA.CKA_SIGN, true), Attributes.Create(CKA.CKA_PRIVATE, true),
                Attributes.Create(CKA.CKA_SENSITIVE, true), Attributes.Create(CKA.CKA_EXTRACTABLE, false),
            ],
            out _, out IObjectHandle key);
        return key;
    }
}
