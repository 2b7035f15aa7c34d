using System.Diagnostics.Metrics;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Optiks.Secrets;

namespace Optiks.ServiceDefaults;

/// <summary>Adds the verification of tokens to a host.</summary>
internal static partial class TokenSetup
{
    public static void Add(WebApplicationBuilder builder)
    {
        builder.Services.AddSingleton<IValidateOptions<TokenOptions>, TokenOptionsValidator>();
        builder.Services.AddOptionsWithValidateOnStart<TokenOptions>().BindConfiguration(TokenOptions.Section);
        builder.Services.AddSingleton(services =>
        {
            ILogger<TokenVerifier> logger = services.GetRequiredService<ILogger<TokenVerifier>>();
            return new TokenVerifier(
                services.GetRequiredService<IOptions<TokenOptions>>(), services.GetRequiredService<TimeProvider>(),
                services.GetRequiredService<IMeterFactory>(), problem => LogInvalidKeys(logger, problem));
        });
        if (builder.Configuration[$"{TokenOptions.Section}:{nameof(TokenOptions.KeysFile)}"] is { Length: > 0 })
        {
            builder.Services.AddHealthChecks().AddCheck<TokenKeysHealth>("token-keys");
        }
    }

    [LoggerMessage(EventId = 9021, EventName = "TokenKeysInvalid", Level = LogLevel.Error,
        Message = "The token key file changed and is invalid; the previous keys remain in effect.")]
    private static partial void LogInvalidKeys(ILogger logger, SecretsException exception);
}
