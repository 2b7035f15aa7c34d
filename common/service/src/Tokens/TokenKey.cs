using Microsoft.IdentityModel.JsonWebTokens;
using Microsoft.IdentityModel.Tokens;
using Optiks.Protocol;

namespace Optiks.ServiceDefaults;

/// <summary>TokenKey is one public key with the one algorithm that it is for. Any thread.</summary>
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
            // The library would take an audience with a slash added.
            IgnoreTrailingSlashWhenValidatingAudience = false,
            // The keys are the issuer's and nobody else's.
            ValidateIssuer = false,
            // By the service's clock, at each request (VerifiedToken).
            ValidateLifetime = false,
            LogValidationExceptions = false,
        };
    }

    /// <summary>Id is the key's <c>kid</c>.</summary>
    public string Id { get; }

    /// <summary>Algorithm is its <c>alg</c>.</summary>
    public string Algorithm { get; }

    /// <summary>CheckAsync checks a token's signature, and its audience; null: both are right.</summary>
    public async ValueTask<TokenRefusal?> CheckAsync(string token)
    {
        TokenValidationResult result = await s_handler.ValidateTokenAsync(token, _parameters);
        return result.IsValid ? null
            : result.Exception switch
            {
                SecurityTokenInvalidSignatureException => TokenRefusals.Signature,
                SecurityTokenInvalidAudienceException => TokenRefusals.Audience,
                // The form is right already: the handler met a claim that is not of its type.
                _ => TokenRefusals.Claims,
            };
    }
}
