using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Optiks.Storage.Hosting;

/// <summary>Adds access to the configured database to a host's services.</summary>
public static class StorageSetup
{
    /// <summary>
    /// Adds <see cref="StorageSource"/> with the options in <see cref="StorageOptions.Section"/>. The services must also have
    /// <see cref="DataFolder"/> and a TimeProvider.
    /// </summary>
    public static IServiceCollection AddOptiksStorage(this IServiceCollection services)
    {
        services.AddSingleton<IValidateOptions<StorageOptions>, StorageOptionsValidator>();
        services.AddOptionsWithValidateOnStart<StorageOptions>().BindConfiguration(StorageOptions.Section);
        return services.AddOptiksStorage(provider => new StorageSource(
            StorageEngines.All(provider.GetRequiredService<TimeProvider>(),
                StorageNotice.Warn(provider.GetRequiredService<ILogger<StorageNotice>>())),
                provider.GetRequiredService<IOptions<StorageOptions>>().Value, provider.GetRequiredService<DataFolder>()));
    }

    /// <summary>Adds a source that the host created with <see cref="CreateSource"/>.</summary>
    public static IServiceCollection AddOptiksStorage(this IServiceCollection services, Func<IServiceProvider, StorageSource> create) =>
        services.AddSingleton(create).AddHostedService<StorageNotice>();

    /// <summary>
    /// Creates a source before the services exist, for a host that opens its database first. The available engines
    /// (<paramref name="engines"/>) are usually <see cref="StorageEngines.All"/>; tests may give other engines.
    /// </summary>
    public static StorageSource CreateSource(IConfiguration configuration, DataFolder folder, IEnumerable<IStorageProvider> engines)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        StorageOptions options = configuration.GetSection(StorageOptions.Section).Get<StorageOptions>() ?? new StorageOptions();
        ValidateOptionsResult valid = new StorageOptionsValidator().Validate(null, options);
        return valid.Failed
            ? throw new StorageMisconfiguredException($"{StorageOptions.Section}: {valid.FailureMessage}")
            : new StorageSource(engines, options, folder);
    }
}
