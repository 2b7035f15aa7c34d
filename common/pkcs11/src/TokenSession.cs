using System.Diagnostics.CodeAnalysis;
using Net.Pkcs11Interop.Common;
using Net.Pkcs11Interop.HighLevelAPI;
using Optiks.Secrets;

namespace Optiks.Pkcs11;

/// <summary>
/// Holds a session that is logged in to a token. Members throw <see cref="Pkcs11Exception"/> if the token fails. Only one thread at a time
/// may use a session.
/// </summary>
internal sealed class TokenSession : IDisposable
{
    private readonly TokenLibrary _library;

    private TokenSession(TokenLibrary library, ISession session)
    {
        _library = library;
        Session = session;
    }

    public ISession Session { get; }

    public static Pkcs11InteropFactories Factories => TokenLibrary.Factories;

    /// <summary>
    /// Opens a session. Throws <see cref="SecretsException"/> after faults that an operator must repair (an unusable library, a wrong PIN,
    /// or a token that lacks the mechanism), and <see cref="SignerUnavailableException"/> if the token is missing.
    /// </summary>
    /// <param name="uri">The URI that names the token.</param>
    /// <param name="pin">The file with the token's PIN.</param>
    /// <param name="writes">Whether the session may create objects in the token.</param>
    /// <param name="mechanism">The mechanism that the token must have.</param>
    /// <param name="lacking">The words that complete the error message <c>the token cannot ...</c> if the token lacks the
    /// mechanism.</param>
    public static TokenSession Open(Pkcs11Uri uri, PinFile pin, bool writes, ulong mechanism, string lacking)
    {
        try
        {
            return OpenOnce(uri, pin, writes, mechanism, lacking);
        }
        catch (Pkcs11Exception e) when (e.RV == CKR.CKR_CRYPTOKI_NOT_INITIALIZED)
        {
            return OpenOnce(uri, pin, writes, mechanism, lacking);
        }
    }

    /// <summary>
    /// Finds the object that the URI names. Throws <see cref="SecretsException"/> if the token has several such objects, or if the object
    /// has the wrong type.
    /// </summary>
    public bool TryFind(Pkcs11Uri uri, CKO objectClass, string what, ulong type, string typeName,
        [NotNullWhen(true)] out IObjectHandle? key)
    {
        List<IObjectAttribute> search = [Factories.ObjectAttributeFactory.Create(CKA.CKA_CLASS, objectClass), .. Names(uri)];
        List<IObjectHandle> found = Session.FindAllObjects(search);
        if (found.Count > 1)
        {
            throw new SecretsException($"{uri}: the token has {found.Count} such {what}s: give the id as well.");
        }
        key = found.FirstOrDefault();
        if (key is null)
        {
            return false;
        }
        ulong actual = Session.GetAttributeValue(key, [CKA.CKA_KEY_TYPE])[0].GetValueAsUlong();
        return actual == type ? true : throw new SecretsException($"{uri}: that key has type {(CKK)actual}; {typeName} is needed.");
    }

    /// <summary>Returns the PKCS#11 attributes that an object must have so that the URI names it.</summary>
    public static List<IObjectAttribute> Names(Pkcs11Uri uri)
    {
        List<IObjectAttribute> names = [];
        if (uri.Label is { } label)
        {
            names.Add(Factories.ObjectAttributeFactory.Create(CKA.CKA_LABEL, label));
        }
        if (uri.Id is { } id)
        {
            names.Add(Factories.ObjectAttributeFactory.Create(CKA.CKA_ID, id.ToArray()));
        }
        return names;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        try
        {
            Session.Dispose();
        }
        catch (Pkcs11Exception)
        {
            // The session cannot be closed, because the token is no longer there.
        }
        _library.Dispose();
    }

    private static TokenSession OpenOnce(Pkcs11Uri uri, PinFile pin, bool writes, ulong mechanism, string lacking)
    {
        var library = TokenLibrary.Acquire(uri.Module);
        ISession? session = null;
        try
        {
            ISlot slot = FindSlot(library.Library, uri);
            if (!slot.GetMechanismList().Contains((CKM)mechanism))
            {
                throw new SecretsException($"{uri}: the token cannot {lacking}: use another token for this key.");
            }
            session = slot.OpenSession(writes ? SessionType.ReadWrite : SessionType.ReadOnly);
            Login(session, pin);
            return new TokenSession(library, session);
        }
        catch (Exception e)
        {
            if (e is Pkcs11Exception { RV: CKR.CKR_CRYPTOKI_NOT_INITIALIZED })
            {
                library.Forget();
            }
            session?.Dispose();
            library.Dispose();
            throw;
        }
    }

    private static ISlot FindSlot(IPkcs11Library library, Pkcs11Uri uri)
    {
        static bool Is(string? wanted, string has) => wanted is null || wanted == has.TrimEnd();
        ISlot[] slots = [.. library.GetSlotList(SlotsType.WithTokenPresent).Where(slot =>
            slot.GetTokenInfo() is var token && Is(uri.Token, token.Label) && Is(uri.Serial, token.SerialNumber)
                && Is(uri.Manufacturer, token.ManufacturerId) && Is(uri.Model, token.Model))];
        return slots.Length switch
        {
            1 => slots[0],
            0 =>
                throw new SignerUnavailableException(
                    $"{uri}: there is no such token. Is it plugged in, initialized and served by {uri.Module}?"),
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
            // Another session of this process has already logged in to the token, which logs in all sessions of the process.
        }
        catch (Pkcs11Exception e)
            when (e.RV is CKR.CKR_PIN_INCORRECT or CKR.CKR_PIN_INVALID or CKR.CKR_PIN_LEN_RANGE or CKR.CKR_PIN_EXPIRED or CKR.CKR_PIN_LOCKED
                or CKR.CKR_USER_PIN_NOT_INITIALIZED)
        {
            throw new PinRefusedException($"{e.RV}", e);
        }
    });
}
