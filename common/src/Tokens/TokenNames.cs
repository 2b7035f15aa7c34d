using System.Buffers;

namespace Optiks.Tokens;

/// <summary>TokenNames are the names that a token's header and claims have (docs/spec/tokens.md sections 1 and 2).</summary>
public static class TokenNames
{
    /// <summary>EdDsa is the algorithm of Ed25519 keys.</summary>
    public const string EdDsa = "EdDSA";

    /// <summary>Es256 is the algorithm of P-256 keys.</summary>
    public const string Es256 = "ES256";

    /// <summary>Audience that the token is for.</summary>
    public const string Audience = "aud";

    /// <summary>Subject: who the token is for.</summary>
    public const string Subject = "sub";

    /// <summary>IssuedAt: when it was signed.</summary>
    public const string IssuedAt = "iat";

    /// <summary>NotBefore: before when it does not hold.</summary>
    public const string NotBefore = "nbf";

    /// <summary>Expires: from when on it does not hold.</summary>
    public const string Expires = "exp";

    /// <summary>Scope: what it allows.</summary>
    public const string Scope = "scope";

    /// <summary>Keys that it is about, as text.</summary>
    public const string Keys = "keys";

    /// <summary>KeysOctets: keys that it is about, in base64url.</summary>
    public const string KeysOctets = "keys_b64";

    /// <summary>User's id, as text.</summary>
    public const string User = "user";

    /// <summary>UserOctets: the user's id, in base64url.</summary>
    public const string UserOctets = "user_b64";

    private const int MaxKeyIdLength = 64;

    private static readonly SearchValues<char> s_keyId = SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~");

    /// <summary>Types that the header may name, in lower case.</summary>
    public static IReadOnlyList<string> Types { get; } = ["jwt", "at+jwt"];

    /// <summary>IsKeyId says whether a text can be a key's id.</summary>
    public static bool IsKeyId(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return text.Length is >= 1 and <= MaxKeyIdLength && !text.AsSpan().ContainsAnyExcept(s_keyId);
    }
}
