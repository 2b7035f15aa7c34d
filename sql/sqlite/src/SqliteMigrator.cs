using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>SqliteMigrator creates the file and brings it to this build's schema.</summary>
internal sealed class SqliteMigrator : IMigrator
{
    private readonly SqliteSettings _settings;
    private readonly TimeProvider _clock;

    public SqliteMigrator(SqliteSettings settings, TimeProvider clock)
    {
        _settings = settings;
        _clock = clock;
    }

    /// <inheritdoc/>
    public string Location => _settings.Path;

    /// <inheritdoc/>
    public int TargetVersion => SqliteSchema.TargetVersion;

    /// <inheritdoc/>
    public Task<int> ReadVersionAsync(CancellationToken cancellationToken) => Task.Run(
        () =>
        {
            if (!File.Exists(_settings.Path))
            {
                return 0;
            }
            using Connection connection = Connection.Open(_settings, readOnly: true);
            return SqliteSchema.ReadVersion(connection);
        },
        cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<string>> MigrateAsync(CancellationToken cancellationToken) => Task.Run(() => ApplyAllAsync(cancellationToken), cancellationToken);

    private async Task<IReadOnlyList<string>> ApplyAllAsync(CancellationToken cancellationToken)
    {
        CreateFile();
        using Connection connection = Connection.Open(_settings, readOnly: false);
        // Before anything is changed: the file may be another program's.
        int version = SqliteSchema.ReadVersion(connection);
        if (version > TargetVersion)
        {
            throw new StorageMisconfiguredException(
                $"The database {connection.Path} has schema version {version}, newer than this program's {TargetVersion}: nothing was changed, run a newer version of this program.");
        }
        // SQLite does not wait by itself for the lock that this needs.
        long start = TimeProvider.System.GetTimestamp();
        while (!connection.TryExecute("PRAGMA journal_mode = WAL"))
        {
            if (TimeProvider.System.GetElapsedTime(start) > _settings.BusyTimeout)
            {
                throw SqliteErrors.Busy(connection.Path);
            }
            await Task.Delay(10, cancellationToken);
        }
        var applied = new List<string>();
        while (ApplyNext(connection) is string name)
        {
            applied.Add(name);
            cancellationToken.ThrowIfCancellationRequested();
        }
        SqliteSchema.ThrowIfUnusable(connection);
        return applied;
    }

    // SQLite's write lock keeps a second migrator waiting; it then finds the version that the first one left.
    private string? ApplyNext(Connection connection)
    {
        connection.Execute("BEGIN IMMEDIATE");
        try
        {
            int version = SqliteSchema.ReadVersion(connection);
            if (version >= TargetVersion)
            {
                connection.Execute("ROLLBACK");
                return null;
            }
            if (version == 0)
            {
                connection.ExecuteScript($"PRAGMA application_id = {SqliteSchema.ApplicationId}; CREATE TABLE migration (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL, name TEXT NOT NULL) STRICT;");
            }
            (string name, string sql) = SqliteSchema.Migrations[version];
            connection.ExecuteScript(sql);
            using (Statement insert = connection.Prepare("INSERT INTO migration (version, applied_at, name) VALUES (?, ?, ?)"))
            {
                insert.Bind(1, version + 1L).Bind(2, _clock.GetUtcNow().ToUnixTimeMilliseconds()).Bind(3, name).Execute();
            }
            connection.ThrowIfMoved();
            connection.Execute("COMMIT");
            return name;
        }
        catch
        {
            if (connection.InTransaction)
            {
                connection.Execute("ROLLBACK");
            }
            throw;
        }
    }

    private void CreateFile()
    {
        if (File.Exists(_settings.Path))
        {
            return;
        }
        if (Path.GetDirectoryName(_settings.Path) is string folder)
        {
            DataFolder.CreateFolder(folder);
        }
        // An empty file is an empty database. SQLite itself would make it readable for everybody; its log files take the mode from it.
        var options = new FileStreamOptions { Mode = FileMode.OpenOrCreate, Access = FileAccess.Write, UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite };
        try
        {
            using var file = new FileStream(_settings.Path, options);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StorageMisconfiguredException($"The database {_settings.Path} cannot be created: {e.Message}", e);
        }
    }
}
