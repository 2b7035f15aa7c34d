using System.Text.Json;
using Optiks.ApiKeys;
using Optiks.Protocol;
using Optiks.Tokens;

namespace Optiks.ServiceDefaults;

/// <summary>Holds the claims of a token whose signature was verified (docs/spec/tokens.md section 2). Immutable.</summary>
/// <param name="Rights">The subject and the rights of the token.</param>
/// <param name="IssuedAt">The time at which the token was signed, in seconds since 1970.</param>
/// <param name="NotBefore">The time before which the token is not valid, in seconds since 1970.</param>
/// <param name="Expires">The time from which the token is no longer valid, in seconds since 1970.</param>
internal sealed record VerifiedToken(CallerRights Rights, long IssuedAt, long NotBefore, long Expires)
{
    private const ApiScopes Scopes = ApiScopes.Lookup | ApiScopes.History | ApiScopes.Update | ApiScopes.Erase;
    private const long MaxInteger = (1L << 53) - 1;
    private const int MaxSubjectLength = 255;

    /// <summary>Reads the claims; returns null if a claim is missing or malformed.</summary>
    public static VerifiedToken? Read(JsonElement claims)
    {
        if (Text(claims, TokenNames.Subject) is not { } subject || !IsName(System.Text.Encoding.UTF8.GetBytes(subject), MaxSubjectLength)
            || Time(claims, TokenNames.IssuedAt) is not { } issued
            || Time(claims, TokenNames.Expires) is not { } expires
            || Text(claims, TokenNames.Scope) is not { } scope
            || ReadKeys(claims) is not { } keys
            || !TryReadUser(claims, out byte[]? user))
        {
            return null;
        }
        long notBefore = issued;
        if (claims.TryGetProperty(TokenNames.NotBefore, out _))
        {
            if (Time(claims, TokenNames.NotBefore) is not { } given)
            {
                return null;
            }
            notBefore = Math.Max(issued, given);
        }
        ApiScopes scopes = scope.Split(' ').Aggregate(ApiScopes.None, (all, word) => all | ApiKeyFile.ParseScope(word)) & Scopes;
        return new VerifiedToken(CallerRights.FromToken(subject, scopes, keys, user), issued, notBefore, expires);
    }

    /// <summary>Returns the reason why the token is not valid at the time <paramref name="now"/>, or null if it is valid. All times are in
    /// seconds.</summary>
    public TokenRefusal? CheckTimes(long now, long maxLifetime, long skew) =>
        Expires <= IssuedAt || Expires - IssuedAt > maxLifetime ? TokenRefusals.Lifetime
        : NotBefore > now + skew ? TokenRefusals.NotYetValid
        : Expires <= now - skew ? TokenRefusals.Expired
        : null;

    private static string? Text(JsonElement claims, string name) =>
        claims.TryGetProperty(name, out JsonElement value) ? TokenForm.FindText(value) : null;

    private static long? Time(JsonElement claims, string name) =>
        claims.TryGetProperty(name, out JsonElement value) && value.ValueKind == JsonValueKind.Number && value.TryGetInt64(out long seconds)
            && seconds is >= 0 and <= MaxInteger ? seconds : null;

    private static List<byte[]>? ReadKeys(JsonElement claims)
    {
        var keys = new List<byte[]>();
        foreach ((string name, bool isText) in (ReadOnlySpan<(string, bool)>)[(TokenNames.Keys, true), (TokenNames.KeysOctets, false)])
        {
            if (!claims.TryGetProperty(name, out JsonElement list))
            {
                continue;
            }
            if (list.ValueKind != JsonValueKind.Array || keys.Count + list.GetArrayLength() > ProtocolLimits.MaxTokenKeys)
            {
                return null;
            }
            foreach (JsonElement element in list.EnumerateArray())
            {
                if (Octets(element, isText) is not { } key || !IsName(key, ProtocolLimits.MaxKeyLength))
                {
                    return null;
                }
                keys.Add(key);
            }
        }
        return keys;
    }

    // Reads the user from the claims. If the claims name no user, sets `user` to null and returns true.
    private static bool TryReadUser(JsonElement claims, out byte[]? user)
    {
        bool hasText = claims.TryGetProperty(TokenNames.User, out JsonElement text);
        bool hasOctets = claims.TryGetProperty(TokenNames.UserOctets, out JsonElement octets);
        user = hasText || hasOctets ? Octets(hasText ? text : octets, hasText) : null;
        return !(hasText && hasOctets) && (user is not null ? IsName(user, ProtocolLimits.MaxKeyLength) : !hasText && !hasOctets);
    }

    private static byte[]? Octets(JsonElement value, bool isText) => TokenForm.FindText(value) is not { } text ? null
        : isText ? System.Text.Encoding.UTF8.GetBytes(text)
        : Base64UrlText.TryDecode(text, out byte[]? octets) ? octets : null;

    private static bool IsName(byte[] octets, int maxLength) => octets.Length >= 1 && octets.Length <= maxLength;
}
