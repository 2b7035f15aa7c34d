using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>Creates the database file if it does not exist, and upgrades it to this build's schema.</summary>
internal sealed class SqliteMigrator : Migrator
{
    private readonly SqliteSettings _settings;

    public SqliteMigrator(SqliteSettings settings)
        : base(SqliteSchema.Schema) => _settings = settings;

    /// <inheritdoc/>
    public override string Location => _settings.Path;

    /// <inheritdoc/>
    protected override Sql InsertMigration { get; } = new(
        "INSERT INTO migration (version, applied_at, name) VALUES (?1, clock_timestamp(), ?2)");

    /// <inheritdoc/>
    public override Task<int> ReadVersionAsync(CancellationToken cancellationToken) => Task.Run(
        () =>
        {
            if (!File.Exists(_settings.Path))
            {
                return 0;
            }
            using var connection = Connection.Open(_settings, readOnly: true);
            return SqliteSchema.ReadVersion(connection);
        },
        cancellationToken);

    /// <inheritdoc/>
    protected override Task<IDatabase> OpenAsync(CancellationToken cancellationToken) => Task.Run<IDatabase>(
        async () =>
        {
            CreateFile();
            using (var connection = Connection.Open(_settings, readOnly: false))
            {
                // This check comes before any change, because the file may belong to another program.
                SqliteSchema.Schema.ThrowIfNewer(SqliteSchema.ReadVersion(connection), connection.Path);
                await UseLogAsync(connection, cancellationToken);
            }
            return Database.OpenForMigration(_settings);
        },
        cancellationToken);

    /// <summary>Does nothing, because the transaction already holds SQLite's write lock.</summary>
    protected override Task LockAsync(ISession session, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    protected override Task<int> ReadVersionAsync(ISession session, CancellationToken cancellationToken) =>
        Task.FromResult(SqliteSchema.ReadVersion(((Session)session).Connection));

    /// <inheritdoc/>
    protected override Task CreateAsync(ISession session, CancellationToken cancellationToken) => RunAsync(
        session,
        $"PRAGMA application_id = {SqliteSchema.ApplicationId}; CREATE TABLE migration (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL, name TEXT NOT NULL) STRICT;",
        cancellationToken);

    /// <inheritdoc/>
    protected override Task RunAsync(ISession session, string script, CancellationToken cancellationToken)
    {
        ((Session)session).Connection.ExecuteScript(script);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    protected override Task CheckAsync(IDatabase database, CancellationToken cancellationToken) => Task.Run(
        () =>
        {
            using var connection = Connection.Open(_settings, readOnly: true);
            SqliteSchema.ThrowIfUnusable(connection);
        },
        cancellationToken);

    // Turns on the write-ahead log. Retries, because SQLite does not wait for the lock that this statement needs.
    private async Task UseLogAsync(Connection connection, CancellationToken cancellationToken)
    {
        long start = TimeProvider.System.GetTimestamp();
        while (!connection.TryExecute("PRAGMA journal_mode = WAL"))
        {
            if (TimeProvider.System.GetElapsedTime(start) > _settings.BusyTimeout)
            {
                throw SqliteErrors.Busy(connection.Path);
            }
            await Task.Delay(10, cancellationToken);
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
        // An empty file is a valid, empty database. This code creates the file itself, because SQLite would create a file that everybody
        // can read. SQLite's log files get the mode of this file.
        var options = new FileStreamOptions
        {
            Mode = FileMode.OpenOrCreate,
            Access = FileAccess.Write,
            UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite,
        };
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
