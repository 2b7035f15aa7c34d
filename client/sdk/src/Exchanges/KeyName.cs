using System.Text;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>A key with its base64url text, under which the state stores the key's data.</summary>
internal readonly record struct KeyName(ReadOnlyMemory<byte> Octets, string Id)
{
    private static readonly UTF8Encoding s_strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>
    /// Encodes text as UTF-8, or throws <see cref="ArgumentException"/>. It throws for half of a surrogate pair, because replacing it could
    /// turn two different names into one name.
    /// </summary>
    public static ReadOnlyMemory<byte> OctetsOf(string text) => s_strict.GetBytes(text);

    public static KeyName Of(ReadOnlyMemory<byte> key, TrustAnchor anchor, string what = "key")
    {
        int most = anchor.Configuration.MaxKeyLength;
        if (key.Length == 0 || key.Length > most)
        {
            throw new ArgumentException($"A {what} of this log has 1 to {most} octets, not {key.Length}.", nameof(key));
        }
        return new KeyName(key, Base64UrlText.Encode(key.Span));
    }

    /// <summary>Returns the name of a key whose length the verifier has checked.</summary>
    public static KeyName OfVerified(ReadOnlyMemory<byte> key) => new(key, Base64UrlText.Encode(key.Span));

    public static ReadOnlyMemory<byte> FromId(string id) =>
        Base64UrlText.TryDecode(id, out byte[]? octets)
            ? octets
            : throw new ClientStateException($"The client state names a key that is not base64url: {id}.");
}
