using Microsoft.Extensions.Options;

namespace Optiks.ServiceDefaults;

/// <summary>Configures from which other origins web pages may read answers that need no API key (<c>Optiks:Cors</c>).</summary>
internal sealed class CorsOptions
{
    public const string Section = "Optiks:Cors";

    /// <summary>The text that allows every origin if it is the only element of <see cref="Origins"/>.</summary>
    public const string Any = "*";

    /// <summary>The allowed origins, such as <c>https://explorer.example.org</c>, in the form in which browsers send them. A list with only
    /// the element <c>*</c> allows every origin. If there are no origins, browsers let no page of another origin read answers.</summary>
    /// <value>The default is an empty list.</value>
    public string[] Origins { get; set; } = [];
}

/// <summary>Checks that each origin has the form in which browsers send it, because an origin in another form would never match.</summary>
internal sealed class CorsOptionsValidator : IValidateOptions<CorsOptions>
{
    public ValidateOptionsResult Validate(string? name, CorsOptions options) =>
        options.Origins is [CorsOptions.Any] ? ValidateOptionsResult.Success
            : options.Origins.FirstOrDefault(origin => !IsOrigin(origin)) is { } wrong
                ? ValidateOptionsResult.Fail(
                    $"{CorsOptions.Section}:{nameof(CorsOptions.Origins)}: '{ErrorText.Address(wrong)}' is not an origin such as https://explorer.example.org, in lower case, without a path and without the scheme's default port; '*' must be the only entry.")
                : ValidateOptionsResult.Success;

    private static bool IsOrigin(string text) =>
        Uri.TryCreate(text, UriKind.Absolute, out Uri? uri) && uri.Scheme is "http" or "https"
            && uri.GetLeftPart(UriPartial.Authority) == text && uri.UserInfo.Length == 0;
}
