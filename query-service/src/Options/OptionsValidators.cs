using Microsoft.Extensions.Options;

namespace Optiks.QueryService.Options;

[OptionsValidator]
internal sealed partial class QueryServiceOptionsValidator : IValidateOptions<QueryServiceOptions>;
