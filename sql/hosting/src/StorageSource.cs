using System.Data.Common;

namespace Optiks.Storage.Hosting;

/// <summary>Opens the configured database in one program's role. Any thread.</summary>
public sealed class StorageSource
{
    private readonly IStorageProvider[] _engines;
    private readonly StorageOptions _options;
    private readonly DataFolder _folder;

    /// <summary>StorageSource of the engines that <paramref name="options"/> choose from; <paramref name="folder"/> is where an embedded database lies by default.</summary>
    public StorageSource(IEnumerable<IStorageProvider> engines, StorageOptions options, DataFolder folder)
    {
        _engines = [.. engines];
        _options = options;
        _folder = folder;
    }

    /// <summary>Notice about the chosen engine for the operator; null: none.</summary>
    public string? Notice => Engine.Notice;

    private IStorageProvider Engine => StorageProviders.Select(_options.Provider, _engines);

    /// <summary>Opens the update-service's view, which repeats what fails for the moment.</summary>
    public async Task<IAcceptStore> OpenAcceptAsync(CancellationToken cancellationToken) =>
        new ResilientAcceptStore(await Engine.OpenAcceptAsync(ConnectionString(), cancellationToken));

    /// <summary>Opens the update-task's view.</summary>
    public Task<IPipelineStore> OpenPipelineAsync(CancellationToken cancellationToken) => Engine.OpenPipelineAsync(ConnectionString(), cancellationToken);

    /// <summary>Opens the query-service's view.</summary>
    public Task<IFollowStore> OpenFollowAsync(CancellationToken cancellationToken) => Engine.OpenFollowAsync(ConnectionString(), cancellationToken);

    private string ConnectionString()
    {
        if (_options.ConnectionString.Length > 0)
        {
            return _options.ConnectionString;
        }
        // Only an embedded database has a place of its own.
        return Engine.Name == "sqlite"
            ? new DbConnectionStringBuilder { ["Data Source"] = _folder.Database }.ConnectionString
            : throw new StorageMisconfiguredException($"{StorageOptions.Section}:ConnectionString is missing.");
    }
}
