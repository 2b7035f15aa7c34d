using Microsoft.Extensions.Options;

namespace Optiks.UpdateTask.Options;

/// <summary>Checks the settings' ranges, and checks that a bucket is named if it is to keep the high-water mark.</summary>
internal sealed class BucketOptionsValidator : IValidateOptions<BucketOptions>
{
    private readonly BucketRangeValidator _ranges = new();

    public ValidateOptionsResult Validate(string? name, BucketOptions options)
    {
        ValidateOptionsResult ranges = _ranges.Validate(name, options);
        return ranges.Failed ? ranges
            : options.KeepsMark && options.Name.Length == 0
                ? ValidateOptionsResult.Fail(
                    $"{BucketOptions.Section}:{nameof(BucketOptions.KeepsMark)} needs {nameof(BucketOptions.Name)}, the bucket's name.")
            : options.ServiceUrl.Length > 0 && !IsAddress(options.ServiceUrl)
                ? ValidateOptionsResult.Fail(
                    $"{BucketOptions.Section}:{nameof(BucketOptions.ServiceUrl)} is not an address such as https://s3.example.org, without user, query or fragment: keys come from the environment or the credentials file.")
                : ValidateOptionsResult.Success;
    }

    private static bool IsAddress(string text) =>
        Uri.TryCreate(text, UriKind.Absolute, out Uri? url) && (url.Scheme == Uri.UriSchemeHttps || url.Scheme == Uri.UriSchemeHttp)
            && url is { Query: "", Fragment: "", UserInfo: "" };
}
