using Microsoft.IdentityModel.JsonWebTokens;
using Microsoft.IdentityModel.Tokens;
using Optiks.Protocol;

namespace Optiks.ServiceDefaults;

/// <summary>Holds a public key with the one algorithm for which it may be used. Any thread may use a key.</summary>
internal sealed class TokenKey
{
    private static readonly JsonWebTokenHandler s_handler = new() { MaximumTokenSizeInBytes = ProtocolLimits.MaxToken };

    private readonly TokenValidationParameters _parameters;

    public TokenKey(string id, string algorithm, SecurityKey key, string audience)
    {
        Id = id;
        Algorithm = algorithm;
        key.KeyId = id;
        _parameters = new TokenValidationParameters
        {
            IssuerSigningKey = key,
            TryAllIssuerSigningKeys = false,
            ValidAlgorithms = [algorithm],
            ValidAudience = audience,
            // By default the library would accept an audience to which a slash was added.
            IgnoreTrailingSlashWhenValidatingAudience = false,
            // The issuer need not be checked, because all keys in the file belong to the same issuer.
            ValidateIssuer = false,
            // `VerifiedToken` checks the lifetime at each request, with the service's clock.
            ValidateLifetime = false,
            LogValidationExceptions = false,
        };
    }

    /// <summary>The key's <c>kid</c>.</summary>
    public string Id { get; }

    /// <summary>The key's <c>alg</c>.</summary>
    public string Algorithm { get; }

    /// <summary>Verifies a token's signature and its audience. Returns null if both are valid, or the reason why the token is
    /// refused.</summary>
    public async ValueTask<TokenRefusal?> CheckAsync(string token)
    {
        TokenValidationResult result = await s_handler.ValidateTokenAsync(token, _parameters);
        return result.IsValid ? null
            : result.Exception switch
            {
                SecurityTokenInvalidSignatureException => TokenRefusals.Signature,
                SecurityTokenInvalidAudienceException => TokenRefusals.Audience,
                // The token's form has already been checked, so the remaining cause of a failure is a claim of the wrong type.
                _ => TokenRefusals.Claims,
            };
    }
}
