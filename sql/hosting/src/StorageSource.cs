using System.Data.Common;

namespace Optiks.Storage.Hosting;

/// <summary>Opens the configured database in a program's role. Thread-safe.</summary>
public sealed class StorageSource
{
    private readonly IStorageProvider[] _engines;
    private readonly StorageOptions _options;
    private readonly DataFolder _folder;

    /// <summary>
    /// Creates a source for one of the given <paramref name="engines"/>, which the <paramref name="options"/> choose. An embedded database
    /// is in the data folder (<paramref name="folder"/>), unless the options name another place.
    /// </summary>
    public StorageSource(IEnumerable<IStorageProvider> engines, StorageOptions options, DataFolder folder)
    {
        _engines = [.. engines];
        _options = options;
        _folder = folder;
    }

    /// <summary>The chosen engine's notice for the operator; null if the engine has no notice.</summary>
    public string? Notice => Engine.Notice;

    private IStorageProvider Engine => StorageProviders.Select(_options.Provider, _engines);

    /// <summary>Opens the database in the update-service's role. The returned store retries calls that failed temporarily.</summary>
    public async Task<IAcceptStore> OpenAcceptAsync(CancellationToken cancellationToken) =>
        new ResilientAcceptStore(await Engine.OpenAcceptAsync(ConnectionString(), cancellationToken));

    /// <summary>Opens the database in the update-task's role.</summary>
    public Task<PipelineStore> OpenPipelineAsync(CancellationToken cancellationToken) =>
        Engine.OpenPipelineAsync(ConnectionString(), cancellationToken);

    /// <summary>Opens the database in the query-service's role.</summary>
    public Task<IFollowStore> OpenFollowAsync(CancellationToken cancellationToken) =>
        Engine.OpenFollowAsync(ConnectionString(), cancellationToken);

    private string ConnectionString()
    {
        if (_options.ConnectionString.Length > 0)
        {
            return _options.ConnectionString;
        }
        // Only an embedded database has a default place, so other engines need a connection string.
        return Engine.Name == "sqlite"
            ? new DbConnectionStringBuilder { ["Data Source"] = _folder.Database }.ConnectionString
            : throw new StorageMisconfiguredException($"{StorageOptions.Section}:ConnectionString is missing.");
    }
}
