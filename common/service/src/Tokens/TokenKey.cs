using Microsoft.IdentityModel.JsonWebTokens;
using Microsoft.IdentityModel.Tokens;
using Optiks.Protocol;

namespace Optiks.ServiceDefaults;

/// <summary>Holds one public key with its only algorithm. Any thread.</summary>
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
            // By default the library would accept an audience with an added slash.
            IgnoreTrailingSlashWhenValidatingAudience = false,
            // All of the keys belong to the issuer.
            ValidateIssuer = false,
            // Checked with the service's clock, at each request (VerifiedToken).
            ValidateLifetime = false,
            LogValidationExceptions = false,
        };
    }

    /// <summary>The key's <c>kid</c>.</summary>
    public string Id { get; }

    /// <summary>The key's <c>alg</c>.</summary>
    public string Algorithm { get; }

    /// <summary>Verifies a token's signature and its audience; returns null if both are right.</summary>
    public async ValueTask<TokenRefusal?> CheckAsync(string token)
    {
        TokenValidationResult result = await s_handler.ValidateTokenAsync(token, _parameters);
        return result.IsValid ? null
            : result.Exception switch
            {
                SecurityTokenInvalidSignatureException => TokenRefusals.Signature,
                SecurityTokenInvalidAudienceException => TokenRefusals.Audience,
                // The form was already checked: the handler met a claim of the wrong type.
                _ => TokenRefusals.Claims,
            };
    }
}
