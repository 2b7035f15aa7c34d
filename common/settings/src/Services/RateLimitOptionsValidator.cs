using System.Net;
using Microsoft.Extensions.Options;

namespace Optiks.ServiceDefaults;

[OptionsValidator]
internal sealed partial class RateLimitRangeValidator : IValidateOptions<RateLimitOptions>;

/// <summary>Checks the settings' ranges, and checks that each proxy is a network.</summary>
internal sealed class RateLimitOptionsValidator : IValidateOptions<RateLimitOptions>
{
    private readonly RateLimitRangeValidator _ranges = new();

    public ValidateOptionsResult Validate(string? name, RateLimitOptions options)
    {
        ValidateOptionsResult ranges = _ranges.Validate(name, options);
        return ranges.Failed ? ranges
            : options.Proxies.Select(Refusal).FirstOrDefault(refusal => refusal is not null) is { } refusal
                ? ValidateOptionsResult.Fail($"{RateLimitOptions.Section}:Proxies: {refusal}")
                : ValidateOptionsResult.Success;
    }

    private static string? Refusal(string proxy) =>
        !IPNetwork.TryParse(proxy, out IPNetwork network) ? $"'{proxy}' is not a network such as 10.0.0.0/8."
        : network.PrefixLength == 0 ? $"'{proxy}' contains every address: any caller could then choose its own."
        : null;
}
