using Microsoft.Extensions.Options;

namespace Optiks.UpdateService.Options;

[OptionsValidator]
internal sealed partial class QueueRangeValidator : IValidateOptions<QueueOptions>;

/// <summary>Checks the settings' ranges, and checks that the note that authorizes the receipt key is set if the receipt key is
/// set.</summary>
internal sealed class QueueOptionsValidator : IValidateOptions<QueueOptions>
{
    private const string Receipts = $"{QueueOptions.Section}:{nameof(QueueOptions.Receipts)}";

    private readonly QueueRangeValidator _ranges = new();

    public ValidateOptionsResult Validate(string? name, QueueOptions options)
    {
        ValidateOptionsResult ranges = _ranges.Validate(name, options);
        return ranges.Failed ? ranges
            : string.IsNullOrWhiteSpace(options.Receipts.KeyFile) != string.IsNullOrWhiteSpace(options.Receipts.KeysFile)
                ? ValidateOptionsResult.Fail(
                    $"{Receipts}: {nameof(ReceiptOptions.KeyFile)} and {nameof(ReceiptOptions.KeysFile)} must both be set, or neither.")
                : ValidateOptionsResult.Success;
    }
}

[OptionsValidator]
internal sealed partial class LimitOptionsValidator : IValidateOptions<LimitOptions>;
