using Microsoft.Extensions.Options;

namespace Optiks.Storage.Hosting;

[OptionsValidator]
internal sealed partial class StorageOptionsValidator : IValidateOptions<StorageOptions>;
