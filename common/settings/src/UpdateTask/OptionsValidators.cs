using Microsoft.Extensions.Options;

namespace Optiks.UpdateTask.Options;

[OptionsValidator]
internal sealed partial class BucketRangeValidator : IValidateOptions<BucketOptions>;

[OptionsValidator]
internal sealed partial class EpochOptionsValidator : IValidateOptions<EpochOptions>;

[OptionsValidator]
internal sealed partial class LogOptionsValidator : IValidateOptions<LogOptions>;

[OptionsValidator]
internal sealed partial class PaddingOptionsValidator : IValidateOptions<PaddingOptions>;

[OptionsValidator]
internal sealed partial class PeriodOptionsValidator : IValidateOptions<PeriodOptions>;

[OptionsValidator]
internal sealed partial class WitnessRangeValidator : IValidateOptions<WitnessOptions>;

/// <summary>Checks the settings' ranges, and checks that a policy file is set if its quorum is required.</summary>
internal sealed class WitnessOptionsValidator : IValidateOptions<WitnessOptions>
{
    private readonly WitnessRangeValidator _ranges = new();

    public ValidateOptionsResult Validate(string? name, WitnessOptions options)
    {
        ValidateOptionsResult ranges = _ranges.Validate(name, options);
        return ranges.Failed ? ranges
            : options.Require && options.PolicyFile.Length == 0
                ? ValidateOptionsResult.Fail(
                    $"{WitnessOptions.Section}:{nameof(options.Require)} needs a policy that says whose cosignatures are enough: name its file in {WitnessOptions.Section}:{nameof(options.PolicyFile)}.")
                : ValidateOptionsResult.Success;
    }
}
