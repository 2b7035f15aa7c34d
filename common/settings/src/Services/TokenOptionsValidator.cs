using Microsoft.Extensions.Options;

namespace Optiks.ServiceDefaults;

[OptionsValidator]
internal sealed partial class TokenRangeValidator : IValidateOptions<TokenOptions>;

/// <summary>Checks the settings' ranges, and checks that the audience is set if the file of keys is set.</summary>
internal sealed class TokenOptionsValidator : IValidateOptions<TokenOptions>
{
    private readonly TokenRangeValidator _ranges = new();

    public ValidateOptionsResult Validate(string? name, TokenOptions options)
    {
        ValidateOptionsResult ranges = _ranges.Validate(name, options);
        return ranges.Failed ? ranges
            : string.IsNullOrWhiteSpace(options.KeysFile) != string.IsNullOrWhiteSpace(options.Audience)
                ? ValidateOptionsResult.Fail(
                    $"{TokenOptions.Section}: {nameof(TokenOptions.KeysFile)} and {nameof(TokenOptions.Audience)} must both be set, or neither.")
                : ValidateOptionsResult.Success;
    }
}
