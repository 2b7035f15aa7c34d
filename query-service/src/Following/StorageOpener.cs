using System.Data.Common;
using Microsoft.Extensions.Options;
using Optiks.QueryService.Options;
using Optiks.Storage;

namespace Optiks.QueryService.Following;

/// <summary>StorageOpener opens the configured database in the query-service's role.</summary>
internal sealed class StorageOpener
{
    private readonly IStorageProvider[] _providers;
    private readonly StorageOptions _options;
    private readonly DataFolder _folder;

    public StorageOpener(IEnumerable<IStorageProvider> providers, IOptions<StorageOptions> options, DataFolder folder)
    {
        _providers = [.. providers];
        _options = options.Value;
        _folder = folder;
    }

    public Task<IFollowStore> OpenAsync(CancellationToken cancellationToken)
    {
        IStorageProvider provider = StorageProviders.Select(_options.Provider, _providers);
        return provider.OpenFollowAsync(ConnectionString(provider), cancellationToken);
    }

    private string ConnectionString(IStorageProvider provider)
    {
        if (_options.ConnectionString.Length > 0)
        {
            return _options.ConnectionString;
        }
        // Only an embedded database has a place of its own.
        return provider.Name == "sqlite"
            ? new DbConnectionStringBuilder { ["Data Source"] = _folder.Database }.ConnectionString
            : throw new StartupException($"{StorageOptions.Section}:ConnectionString is missing.");
    }
}
