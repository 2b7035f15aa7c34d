using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Optiks.Storage.PostgreSql;
using Optiks.Storage.Sqlite;

namespace Optiks.Storage.Hosting;

/// <summary>StorageSetup is the one list of engines: a new one is added here and every program can use it.</summary>
public static class StorageSetup
{
    /// <summary>Engines that configuration may choose from. <paramref name="clock"/> is the clock of an embedded database; null: the system's.</summary>
    public static IReadOnlyList<IStorageProvider> Engines(TimeProvider? clock = null) => [new SqliteStorageProvider(clock), new PostgreSqlStorageProvider()];

    /// <summary>AddOptiksStorage adds <see cref="StorageSource"/> by the options of <see cref="StorageOptions.Section"/>. Needs <see cref="DataFolder"/> and a TimeProvider.</summary>
    public static IServiceCollection AddOptiksStorage(this IServiceCollection services)
    {
        services.AddSingleton<IValidateOptions<StorageOptions>, StorageOptionsValidator>();
        services.AddOptionsWithValidateOnStart<StorageOptions>().BindConfiguration(StorageOptions.Section);
        return services.AddSingleton(provider => new StorageSource(
            Engines(provider.GetRequiredService<TimeProvider>()), provider.GetRequiredService<IOptions<StorageOptions>>().Value, provider.GetRequiredService<DataFolder>()));
    }

    /// <summary>
    /// CreateSource makes the source before the services exist, for a host that opens its database first. <paramref name="engines"/> are <see cref="Engines"/>, or a test's.
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
