using System.Buffers;

namespace Optiks.Tokens;

/// <summary>Lists the names in a token's header and claims (docs/spec/tokens.md sections 1 and 2).</summary>
public static class TokenNames
{
    /// <summary>The name of the algorithm of Ed25519 keys.</summary>
    public const string EdDsa = "EdDSA";

    /// <summary>The name of the algorithm of P-256 keys.</summary>
    public const string Es256 = "ES256";

    /// <summary>The claim with the audience, which is the log that accepts the token.</summary>
    public const string Audience = "aud";

    /// <summary>The claim with the party that the token is for.</summary>
    public const string Subject = "sub";

    /// <summary>The claim with the time at which the token was signed.</summary>
    public const string IssuedAt = "iat";

    /// <summary>The claim with the time before which the token is not valid.</summary>
    public const string NotBefore = "nbf";

    /// <summary>The claim with the time from which the token is no longer valid.</summary>
    public const string Expires = "exp";

    /// <summary>The claim with the scopes that the token allows.</summary>
    public const string Scope = "scope";

    /// <summary>The claim with the keys that the token names, as text.</summary>
    public const string Keys = "keys";

    /// <summary>The claim with the keys that the token names, in base64url.</summary>
    public const string KeysOctets = "keys_b64";

    /// <summary>The claim with the user's id, as text.</summary>
    public const string User = "user";

    /// <summary>The claim with the user's id, in base64url.</summary>
    public const string UserOctets = "user_b64";

    private const int MaxKeyIdLength = 64;

    private static readonly SearchValues<char> s_keyId = SearchValues.Create(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~");

    /// <summary>The token types that the header may name, in lower case.</summary>
    public static IReadOnlyList<string> Types { get; } = ["jwt", "at+jwt"];

    /// <summary>Returns whether a text has the form of a token key's id.</summary>
    public static bool IsKeyId(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return text.Length is >= 1 and <= MaxKeyIdLength && !text.AsSpan().ContainsAnyExcept(s_keyId);
    }
}
