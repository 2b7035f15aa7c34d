using Microsoft.Extensions.Options;

namespace Optiks.QueryService.Options;

[OptionsValidator]
internal sealed partial class QueryServiceOptionsValidator : IValidateOptions<QueryServiceOptions>;

[OptionsValidator]
internal sealed partial class StorageOptionsValidator : IValidateOptions<StorageOptions>;
