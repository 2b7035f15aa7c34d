// Generated from docs/spec/facts.toml by `make facts`: do not edit.
namespace Optiks.ServiceDefaults;

/// <summary>The reasons to refuse a token (docs/spec/tokens.md section 4).</summary>
internal static class TokenRefusals
{
    /// <summary>The token is too long (section 1), does not have three parts of strict base64url, has a header or payload that is not a JSON object in UTF-8, has a member twice at any depth, or has more than 8 levels.</summary>
    public static TokenRefusal Malformed { get; } = new("token-malformed", "The token is malformed.");

    /// <summary>Kid is missing or malformed, typ has another value, or the header has another member, such as crit, jku or jwk.</summary>
    public static TokenRefusal Header { get; } = new("token-header", "The token's header has a member that is not taken, or lacks its kid.");

    /// <summary>Alg is not an algorithm of section 1, or is not the key's algorithm.</summary>
    public static TokenRefusal Algorithm { get; } = new("token-algorithm", "The token's algorithm is not taken.");

    /// <summary>No key in the file of keys has the token's kid.</summary>
    public static TokenRefusal Key { get; } = new("token-key", "No key of this server has the token's kid.");

    /// <summary>The token's signature does not verify with the key.</summary>
    public static TokenRefusal Signature { get; } = new("token-signature", "The token's signature is not its key's.");

    /// <summary>Aud is missing, or does not name this log's audience.</summary>
    public static TokenRefusal Audience { get; } = new("token-audience", "The token is for another audience.");

    /// <summary>A required claim of section 2 is missing, or a claim does not have its form.</summary>
    public static TokenRefusal Claims { get; } = new("token-claims", "A claim of the token is missing or malformed.");

    /// <summary>Exp is not after iat, or is later than iat by more than the longest lifetime.</summary>
    public static TokenRefusal Lifetime { get; } = new("token-lifetime", "The token is valid for longer than this server takes.");

    /// <summary>Iat or nbf is in the future by more than the clock skew.</summary>
    public static TokenRefusal NotYetValid { get; } = new("token-not-yet-valid", "The token is not valid yet.");

    /// <summary>Exp passed longer ago than the clock skew allows.</summary>
    public static TokenRefusal Expired { get; } = new("token-expired", "The token has expired: get a new one.");

    /// <summary>All refusals, in the order of the checks.</summary>
    public static IReadOnlyList<TokenRefusal> All { get; } =
    [
        Malformed,
        Header,
        Algorithm,
        Key,
        Signature,
        Audience,
        Claims,
        Lifetime,
        NotYetValid,
        Expired,
    ];
}
