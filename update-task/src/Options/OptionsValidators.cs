using Microsoft.Extensions.Options;

namespace Optiks.UpdateTask.Options;

[OptionsValidator]
internal sealed partial class BucketOptionsValidator : IValidateOptions<BucketOptions>;

[OptionsValidator]
internal sealed partial class EpochOptionsValidator : IValidateOptions<EpochOptions>;

[OptionsValidator]
internal sealed partial class LogOptionsValidator : IValidateOptions<LogOptions>;

[OptionsValidator]
internal sealed partial class PaddingOptionsValidator : IValidateOptions<PaddingOptions>;

[OptionsValidator]
internal sealed partial class PeriodOptionsValidator : IValidateOptions<PeriodOptions>;

[OptionsValidator]
internal sealed partial class WitnessOptionsValidator : IValidateOptions<WitnessOptions>;
