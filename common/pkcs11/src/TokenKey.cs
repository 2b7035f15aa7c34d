using System.Runtime.InteropServices;
using System.Security.Cryptography;
using Net.Pkcs11Interop.Common;
using Net.Pkcs11Interop.HighLevelAPI;
using Optiks.Secrets;

namespace Optiks.Pkcs11;

/// <summary>
/// TokenKey is a private Ed25519 key in a token, in a session that is logged in. Members throw <see cref="Pkcs11Exception"/> when the token fails. One thread at a time.
/// </summary>
internal sealed class TokenKey : IDisposable
{
    // pkcs11t.h of PKCS #11 3.0, which the binding's enumerations are older than.
    private const ulong CKK_EC_EDWARDS = 0x40;
    private const ulong CKM_EC_EDWARDS_KEY_PAIR_GEN = 0x1055;
    private const ulong CKM_EDDSA = 0x1057;

    // Object identifier 1.3.101.112 (RFC 8410), in DER.
    private static readonly byte[] s_ed25519 = [0x06, 0x03, 0x2b, 0x65, 0x70];

    private readonly Pkcs11InteropFactories _factories;
    private readonly IPkcs11Library _library;
    private readonly ISession _session;
    private readonly IObjectHandle _key;

    // The binding asks for libdl by a name that only a compiler's package has.
    static TokenKey() => NativeLibrary.SetDllImportResolver(
        typeof(Pkcs11InteropFactories).Assembly, (name, _, _) => name == "libdl" && OperatingSystem.IsLinux() && NativeLibrary.TryLoad("libdl.so.2", out nint library) ? library : nint.Zero);

    private TokenKey(Pkcs11InteropFactories factories, IPkcs11Library library, ISession session, IObjectHandle key)
    {
        _factories = factories;
        _library = library;
        _session = session;
        _key = key;
    }

    /// <summary>
    /// Open finds the key. Throws <see cref="SecretsException"/> for what an operator has to mend (library, PIN, a key that is not there or is none of Ed25519), and <see cref="SignerUnavailableException"/> for a token that is not there.
    /// </summary>
    public static TokenKey Open(Pkcs11Uri uri, PinFile pin) => Open(uri, pin, makeNew: false);

    /// <summary>OpenOrGenerate makes the key when the token has none of that name; it never leaves the token.</summary>
    public static TokenKey OpenOrGenerate(Pkcs11Uri uri, PinFile pin) => Open(uri, pin, makeNew: true);

    /// <summary>Sign gives the 64 octets of a signature.</summary>
    public byte[] Sign(byte[] message)
    {
        using IMechanism mechanism = _factories.MechanismFactory.Create(CKM_EDDSA);
        return _session.Sign(mechanism, _key, message);
    }

    /// <summary>PublicKey of the token's public object that belongs to the key: of its id, or else of its label. Throws <see cref="SecretsException"/> when there is none.</summary>
    public byte[] PublicKey(Pkcs11Uri uri)
    {
        List<IObjectAttribute> names = _session.GetAttributeValue(_key, [CKA.CKA_ID, CKA.CKA_LABEL]);
        List<IObjectAttribute> search = [_factories.ObjectAttributeFactory.Create(CKA.CKA_CLASS, CKO.CKO_PUBLIC_KEY)];
        byte[] id = names[0].CannotBeRead ? [] : names[0].GetValueAsByteArray();
        search.Add(id.Length > 0 ? _factories.ObjectAttributeFactory.Create(CKA.CKA_ID, id) : _factories.ObjectAttributeFactory.Create(CKA.CKA_LABEL, names[1].GetValueAsByteArray()));
        List<IObjectHandle> found = _session.FindAllObjects(search);
        return found.Count == 1 && _session.GetAttributeValue(found[0], [CKA.CKA_EC_POINT]) is [{ CannotBeRead: false } point] && Ed25519Point.TryRead(point.GetValueAsByteArray(), out byte[]? key)
            ? key
            : throw new SecretsException($"{uri}: the token has {found.Count} public keys beside this private one, and needs one of Ed25519: import it with the same id.");
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        try
        {
            _session.Dispose();
        }
        catch (Pkcs11Exception)
        {
            // Of a token that is gone.
        }
        Close(_library);
    }

    private static TokenKey Open(Pkcs11Uri uri, PinFile pin, bool makeNew)
    {
        var factories = new Pkcs11InteropFactories();
        IPkcs11Library library;
        try
        {
            library = factories.Pkcs11LibraryFactory.LoadPkcs11Library(factories, uri.Module, AppType.MultiThreaded);
        }
        catch (UnmanagedException e)
        {
            throw new SecretsException($"{uri.Module} cannot be loaded as a PKCS#11 library: correct module-path, or install the token's software. {ErrorText.Line(e.Message)}", e);
        }
        ISession? session = null;
        try
        {
            ISlot slot = FindSlot(library, uri);
            if (!slot.GetMechanismList().Contains((CKM)CKM_EDDSA))
            {
                throw new SecretsException($"{uri}: the token cannot make Ed25519 signatures (CKM_EDDSA): it is none for this key.");
            }
            session = slot.OpenSession(makeNew ? SessionType.ReadWrite : SessionType.ReadOnly);
            Login(session, pin);
            IObjectHandle key = Find(factories, session, uri) ?? (makeNew ? Generate(factories, session, uri)
                : throw new SecretsException($"{uri}: the token has no such private key, or hides it from this PIN: correct object and id, or make the key."));
            return new TokenKey(factories, library, session, key);
        }
        catch
        {
            session?.Dispose();
            Close(library);
            throw;
        }
    }

    private static void Close(IPkcs11Library library)
    {
        try
        {
            library.Dispose();
        }
        catch (Pkcs11Exception)
        {
            // Another one of this process has ended it.
        }
    }

    private static ISlot FindSlot(IPkcs11Library library, Pkcs11Uri uri)
    {
        static bool Is(string? wanted, string has) => wanted is null || wanted == has.TrimEnd();
        ISlot[] slots = [.. library.GetSlotList(SlotsType.WithTokenPresent).Where(slot =>
            slot.GetTokenInfo() is var token && Is(uri.Token, token.Label) && Is(uri.Serial, token.SerialNumber) && Is(uri.Manufacturer, token.ManufacturerId) && Is(uri.Model, token.Model))];
        return slots.Length switch
        {
            1 => slots[0],
            0 => throw new SignerUnavailableException($"{uri}: there is no such token. Is it plugged in, initialized and served by {uri.Module}?"),
            _ => throw new SecretsException($"{uri}: there are {slots.Length} such tokens: give serial=NUMBER."),
        };
    }

    private static void Login(ISession session, PinFile pin) => pin.Use(octets =>
    {
        try
        {
            session.Login(CKU.CKU_USER, octets);
        }
        catch (Pkcs11Exception e) when (e.RV == CKR.CKR_USER_ALREADY_LOGGED_IN)
        {
            // Another session of this process with the token.
        }
        catch (Pkcs11Exception e) when (e.RV is CKR.CKR_PIN_INCORRECT or CKR.CKR_PIN_INVALID or CKR.CKR_PIN_LEN_RANGE or CKR.CKR_PIN_EXPIRED or CKR.CKR_PIN_LOCKED or CKR.CKR_USER_PIN_NOT_INITIALIZED)
        {
            throw new PinRefusedException($"{e.RV}", e);
        }
    });

    private static IObjectHandle? Find(Pkcs11InteropFactories factories, ISession session, Pkcs11Uri uri)
    {
        List<IObjectAttribute> search = [factories.ObjectAttributeFactory.Create(CKA.CKA_CLASS, CKO.CKO_PRIVATE_KEY), .. Names(factories, uri)];
        List<IObjectHandle> found = session.FindAllObjects(search);
        if (found.Count == 0)
        {
            return null;
        }
        if (found.Count > 1)
        {
            throw new SecretsException($"{uri}: the token has {found.Count} such private keys: give the id as well.");
        }
        ulong type = session.GetAttributeValue(found[0], [CKA.CKA_KEY_TYPE])[0].GetValueAsUlong();
        return type == CKK_EC_EDWARDS ? found[0] : throw new SecretsException($"{uri}: that key is of another type ({(CKK)type}) than Ed25519 (CKK_EC_EDWARDS).");
    }

    private static List<IObjectAttribute> Names(Pkcs11InteropFactories factories, Pkcs11Uri uri)
    {
        List<IObjectAttribute> names = [];
        if (uri.Label is { } label)
        {
            names.Add(factories.ObjectAttributeFactory.Create(CKA.CKA_LABEL, label));
        }
        if (uri.Id is { } id)
        {
            names.Add(factories.ObjectAttributeFactory.Create(CKA.CKA_ID, id.ToArray()));
        }
        return names;
    }

    private static IObjectHandle Generate(Pkcs11InteropFactories factories, ISession session, Pkcs11Uri uri)
    {
        List<IObjectAttribute> Both()
        {
            List<IObjectAttribute> both = [factories.ObjectAttributeFactory.Create(CKA.CKA_TOKEN, true), .. Names(factories, uri)];
            return both;
        }
        List<IObjectAttribute> id = uri.Id is null ? [factories.ObjectAttributeFactory.Create(CKA.CKA_ID, RandomNumberGenerator.GetBytes(16))] : [];
        using IMechanism mechanism = factories.MechanismFactory.Create(CKM_EC_EDWARDS_KEY_PAIR_GEN);
        session.GenerateKeyPair(
            mechanism,
            [.. Both(), .. id, factories.ObjectAttributeFactory.Create(CKA.CKA_VERIFY, true), factories.ObjectAttributeFactory.Create(CKA.CKA_EC_PARAMS, s_ed25519)],
            [
                .. Both(), .. id, factories.ObjectAttributeFactory.Create(CKA.CKA_SIGN, true), factories.ObjectAttributeFactory.Create(CKA.CKA_PRIVATE, true),
                factories.ObjectAttributeFactory.Create(CKA.CKA_SENSITIVE, true), factories.ObjectAttributeFactory.Create(CKA.CKA_EXTRACTABLE, false),
            ],
            out _, out IObjectHandle key);
        return key;
    }
}
