using Microsoft.Extensions.Options;

namespace Optiks.UpdateTask.Options;

/// <summary>BucketOptionsValidator checks the ranges, and that a bucket which is to keep the mark has a name.</summary>
internal sealed class BucketOptionsValidator : IValidateOptions<BucketOptions>
{
    private readonly BucketRangeValidator _ranges = new();

    public ValidateOptionsResult Validate(string? name, BucketOptions options)
    {
        ValidateOptionsResult ranges = _ranges.Validate(name, options);
        return ranges.Failed ? ranges
            : options.KeepsMark && options.Name.Length == 0
                ? ValidateOptionsResult.Fail($"{BucketOptions.Section}:{nameof(BucketOptions.KeepsMark)} needs {nameof(BucketOptions.Name)}, the bucket's.")
                : ValidateOptionsResult.Success;
    }
}
