using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Microsoft.Net.Http.Headers;
using Optiks.ApiKeys;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Implements the scheme <c>Authorization: Bearer</c> with an API key or a token (docs/spec/rest.md section 3). A caller with a refused
/// credential counts as a caller without a credential, so endpoints that need no credential still answer.
/// </summary>
internal sealed class BearerAuthentication : AuthenticationHandler<AuthenticationSchemeOptions>
{
    /// <summary>The scheme's name within ASP.NET Core.</summary>
    public new const string Scheme = "Bearer";

    private const string Prefix = Scheme + " ";

    private readonly ApiKeyStore _keys;
    private readonly TokenVerifier _tokens;
    private TokenRefusal? _refusal;

    public BearerAuthentication(IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory logger, UrlEncoder encoder,
        ApiKeyStore keys, TokenVerifier tokens)
        : base(options, logger, encoder)
    {
        _keys = keys;
        _tokens = tokens;
    }

    /// <summary>
    /// Adds the scheme, and a policy for each <see cref="Access"/>. This method does not call <c>AddAuthentication</c>, which would also
    /// add data protection, which keeps keys in the user's home folder.
    /// </summary>
    public static void Add(WebApplicationBuilder builder)
    {
        builder.Services.AddWebEncoders();
        builder.Services.AddTransient<BearerAuthentication>();
        builder.Services.AddAuthenticationCore(authentication =>
        {
            authentication.DefaultScheme = Scheme;
            authentication.AddScheme<BearerAuthentication>(Scheme, displayName: null);
        });
        builder.Services.AddAuthorization(authorization =>
        {
            foreach (Access access in Access.All)
            {
                authorization.AddPolicy(access.Policy,
                    policy => policy.RequireAssertion(caller => caller.User.Identity is CallerRights rights && rights.Allows(access)));
            }
        });
        // Without this filter, ASP.NET Core would log a line for each request with a wrong credential.
        builder.Logging.AddFilter(typeof(BearerAuthentication).FullName, LogLevel.Warning);
    }

    protected override async Task<AuthenticateResult> HandleAuthenticateAsync()
    {
        // If an endpoint needs no credential and has no rate limit, its requests are not authenticated. The caller does not matter there,
        // and strangers cannot make the service verify signatures.
        if (Context.GetEndpoint() is not { } endpoint
            || !(endpoint.Metadata.GetMetadata<Access>() is not null || RateLimits.IsLimited(endpoint)))
        {
            return AuthenticateResult.NoResult();
        }
        string? header = Request.Headers.Authorization;
        if (string.IsNullOrEmpty(header))
        {
            return AuthenticateResult.NoResult();
        }
        CallerRights? rights = header.StartsWith(Prefix, StringComparison.OrdinalIgnoreCase)
            ? await FindAsync(header[Prefix.Length..].Trim())
            : null;
        return rights is null
            ? AuthenticateResult.Fail("The credential is not valid here.")
            : AuthenticateResult.Success(new AuthenticationTicket(rights.Principal, Scheme));
    }

    protected override Task HandleChallengeAsync(AuthenticationProperties properties)
    {
        Response.Headers[HeaderNames.WWWAuthenticate] = _refusal is null ? Scheme : $"{Scheme} error=\"invalid_token\"";
        var problem = new Problem(
            ProblemTypes.Unauthorized,
            _refusal?.Detail
                ?? $"Send 'Authorization: Bearer' with an API key{(_tokens.IsOn ? " or a token" : "")} that this server knows.");
        return (problem with { Reason = _refusal?.Name }).ExecuteAsync(Context);
    }

    protected override Task HandleForbiddenAsync(AuthenticationProperties properties)
    {
        bool isToken = CallerRights.Get(Context) is { IsToken: true };
        Access access = Context.GetEndpoint()!.Metadata.GetRequiredMetadata<Access>();
        Response.Headers[HeaderNames.WWWAuthenticate] = $"{Scheme} error=\"insufficient_scope\", scope=\"{access.ScopeName}\"";
        return new Problem(ProblemTypes.Forbidden, isToken && access.Tokens == TokenReach.Nothing
            ? "Only an API key allows this."
            : $"The {(isToken ? "token" : "API key")} lacks the scope {access.ScopeName}.").ExecuteAsync(Context);
    }

    private async ValueTask<CallerRights?> FindAsync(string credential)
    {
        if (credential.StartsWith(ApiKey.Prefix, StringComparison.Ordinal) || !_tokens.IsOn)
        {
            return _keys.TryFind(credential, out ApiKeyEntry? entry) ? CallerRights.FromApiKey(entry) : null;
        }
        (CallerRights? rights, _refusal) = await _tokens.VerifyAsync(credential);
        return rights;
    }
}
