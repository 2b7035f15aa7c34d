using System.Net;
using Microsoft.Extensions.Options;

namespace Optiks.ServiceDefaults;

[OptionsValidator]
internal sealed partial class RateLimitRangeValidator : IValidateOptions<RateLimitOptions>;

/// <summary>RateLimitOptionsValidator checks the ranges and that proxies are networks.</summary>
internal sealed class RateLimitOptionsValidator : IValidateOptions<RateLimitOptions>
{
    private readonly RateLimitRangeValidator _ranges = new();

    public ValidateOptionsResult Validate(string? name, RateLimitOptions options)
    {
        ValidateOptionsResult ranges = _ranges.Validate(name, options);
        return ranges.Failed ? ranges
            : options.Proxies.FirstOrDefault(proxy => !IPNetwork.TryParse(proxy, out _)) is { } wrong
                ? ValidateOptionsResult.Fail($"{RateLimitOptions.Section}:Proxies: '{wrong}' is not a network such as 10.0.0.0/8.")
                : ValidateOptionsResult.Success;
    }
}
