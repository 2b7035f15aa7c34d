using System.Security.Claims;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Microsoft.Net.Http.Headers;
using Optiks.ApiKeys;

namespace Optiks.ServiceDefaults;

/// <summary>ApiKeyAuthentication is the scheme <c>Authorization: Bearer optiks_...</c> (docs/spec/rest.md section 3).</summary>
public static class ApiKeyAuthentication
{
    /// <summary>Scheme name within ASP.NET Core.</summary>
    public const string Scheme = "ApiKey";

    internal const string ScopeClaim = "scope";

    /// <summary>RequireScope makes endpoints answer only callers whose API key has the scope; 401 and 403 otherwise.</summary>
    public static TBuilder RequireScope<TBuilder>(this TBuilder builder, ApiScopes scope)
        where TBuilder : IEndpointConventionBuilder =>
        builder.RequireAuthorization(PolicyName(scope));

    internal static string PolicyName(ApiScopes scope) => $"scope:{ApiKeyFile.ScopeName(scope)}";

    /// <summary>Handler knows callers by their key and answers refusals as problems.</summary>
    internal sealed class Handler : AuthenticationHandler<AuthenticationSchemeOptions>
    {
        private const string Bearer = "Bearer ";
        private readonly ApiKeyStore _keys;

        public Handler(IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory logger, UrlEncoder encoder, ApiKeyStore keys)
            : base(options, logger, encoder)
        {
            _keys = keys;
        }

        protected override Task<AuthenticateResult> HandleAuthenticateAsync() => Task.FromResult(Authenticate());

        protected override Task HandleChallengeAsync(AuthenticationProperties properties)
        {
            Response.Headers[HeaderNames.WWWAuthenticate] = "Bearer";
            return new Problem(ProblemTypes.Unauthorized, "Send 'Authorization: Bearer <API key>' with a key that this server knows.").ExecuteAsync(Context);
        }

        protected override Task HandleForbiddenAsync(AuthenticationProperties properties)
        {
            string[] needed = [.. Context.GetEndpoint()?.Metadata.GetOrderedMetadata<Microsoft.AspNetCore.Authorization.IAuthorizeData>()
                .Select(data => data.Policy).OfType<string>() ?? []];
            return new Problem(ProblemTypes.Forbidden, $"The API key lacks {string.Join(", ", needed)}.").ExecuteAsync(Context);
        }

        private AuthenticateResult Authenticate()
        {
            string? header = Request.Headers.Authorization;
            if (string.IsNullOrEmpty(header))
            {
                return AuthenticateResult.NoResult();
            }
            if (!header.StartsWith(Bearer, StringComparison.OrdinalIgnoreCase) || !_keys.TryFind(header[Bearer.Length..].Trim(), out ApiKeyEntry? entry))
            {
                return AuthenticateResult.Fail("Not an API key of this server.");
            }
            var identity = new ClaimsIdentity(Scheme.Name);
            identity.AddClaim(new Claim(ClaimTypes.Name, entry.Name));
            foreach (ApiScopes scope in Enum.GetValues<ApiScopes>())
            {
                if (scope != ApiScopes.None && entry.Scopes.HasFlag(scope))
                {
                    identity.AddClaim(new Claim(ScopeClaim, ApiKeyFile.ScopeName(scope)));
                }
            }
            return AuthenticateResult.Success(new AuthenticationTicket(new ClaimsPrincipal(identity), Scheme.Name));
        }
    }
}
