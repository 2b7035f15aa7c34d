using Microsoft.Extensions.Options;

namespace Optiks.UpdateService.Options;

[OptionsValidator]
internal sealed partial class QueueOptionsValidator : IValidateOptions<QueueOptions>;

[OptionsValidator]
internal sealed partial class LimitOptionsValidator : IValidateOptions<LimitOptions>;
