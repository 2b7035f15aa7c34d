using Microsoft.Extensions.Options;

namespace Optiks.ServiceDefaults;

[OptionsValidator]
internal sealed partial class BoardRangeValidator : IValidateOptions<BoardOptions>;

/// <summary>Checks the settings' ranges, and checks that the names of the board's files can be appended to the URL.</summary>
internal sealed class BoardOptionsValidator : IValidateOptions<BoardOptions>
{
    private readonly BoardRangeValidator _ranges = new();

    public ValidateOptionsResult Validate(string? name, BoardOptions options)
    {
        ValidateOptionsResult ranges = _ranges.Validate(name, options);
        return ranges.Failed ? ranges
            : options.Url.Length > 0 && !IsPrefix(options.Url)
                ? ValidateOptionsResult.Fail(
                    $"{BoardOptions.Section}:{nameof(BoardOptions.Url)} is not an address such as https://board.example.org/optiks/, without query or user.")
                : ValidateOptionsResult.Success;
    }

    private static bool IsPrefix(string text) =>
        Uri.TryCreate(text, UriKind.Absolute, out Uri? url) && (url.Scheme == Uri.UriSchemeHttps || url.Scheme == Uri.UriSchemeHttp)
            && url is { Query: "", Fragment: "", UserInfo: "" };
}
