using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>SqlServerMigrator brings an existing database to this build's schema, as a user who owns it.</summary>
internal sealed class SqlServerMigrator : IMigrator
{
    private static readonly Statement s_lock = new(
        """
        DECLARE @got int;
        EXEC @got = sp_getapplock @Resource = N'optiks.migrate', @LockMode = N'Exclusive', @LockOwner = N'Transaction', @LockTimeout = -1;
        IF @got < 0 THROW 50001, N'The lock of migrations cannot be had.', 1;
        """);

    // A schema has to be created by a batch of its own.
    private static readonly Statement s_createSchema = new("IF SCHEMA_ID(N'optiks') IS NULL EXEC (N'CREATE SCHEMA optiks');");

    private static readonly Statement s_createMigration = new(
        """
        CREATE TABLE optiks.Migration (
          Version   int           NOT NULL CONSTRAINT PK_Migration PRIMARY KEY,
          AppliedAt datetime2(3)  NOT NULL CONSTRAINT DF_Migration_AppliedAt DEFAULT SYSUTCDATETIME(),
          Name      nvarchar(128) NOT NULL
        );
        """);

    private static readonly Statement s_insertMigration = new("INSERT INTO optiks.Migration (Version, Name) VALUES (@version, @name)");

    private readonly SqlServerSettings _settings;

    public SqlServerMigrator(SqlServerSettings settings) => _settings = settings;

    /// <inheritdoc/>
    public string Location => _settings.Location;

    /// <inheritdoc/>
    public int TargetVersion => SqlServerSchema.TargetVersion;

    /// <inheritdoc/>
    public async Task<int> ReadVersionAsync(CancellationToken cancellationToken)
    {
        await using Database database = Database.Connect(_settings);
        try
        {
            return await database.ReadAsync(SqlServerSchema.ReadVersionAsync, cancellationToken);
        }
        catch (StorageMisconfiguredException e) when (SqlServerErrors.IsNoSuchDatabase(e.InnerException))
        {
            return 0;
        }
    }

    /// <inheritdoc/>
    public async Task<IReadOnlyList<string>> MigrateAsync(CancellationToken cancellationToken)
    {
        await using Database database = Database.Connect(_settings);
        var applied = new List<string>();
        while (true)
        {
            string name = await database.WriteAsync((connection, cancel) => ApplyNextAsync(connection, cancel), resolve: null, cancellationToken);
            if (name.Length == 0)
            {
                break;
            }
            applied.Add(name);
        }
        await database.CheckAsync(cancellationToken);
        return applied;
    }

    // Empty: nothing is missing. The lock keeps a second migrator waiting; it then finds the version that the first one left.
    private async Task<WriteResult<string>> ApplyNextAsync(Connection connection, CancellationToken cancellationToken)
    {
        await connection.ExecuteAsync(s_lock, cancellationToken);
        int version = await SqlServerSchema.ReadVersionAsync(connection, cancellationToken);
        if (version > TargetVersion)
        {
            throw new StorageMisconfiguredException(
                $"The database {Location} has schema version {version}, newer than this program's {TargetVersion}: nothing was changed, run a newer version of this program.");
        }
        if (version == TargetVersion)
        {
            await RunAsync(connection, SqlServerSchema.Grants, cancellationToken);
            return new WriteResult<string>("", Commit: true);
        }
        if (version == 0)
        {
            await RunAsync(connection, [s_createSchema, s_createMigration], cancellationToken);
        }
        (string name, IReadOnlyList<Statement> batches) = SqlServerSchema.Migrations[version];
        await RunAsync(connection, batches, cancellationToken);
        await connection.ExecuteAsync(s_insertMigration, cancellationToken, Parameters.Int("@version", version + 1), Parameters.Text("@name", name));
        return new WriteResult<string>(name, Commit: true);
    }

    private static async Task RunAsync(Connection connection, IReadOnlyList<Statement> batches, CancellationToken cancellationToken)
    {
        foreach (Statement batch in batches)
        {
            await connection.ExecuteAsync(batch, cancellationToken);
        }
    }
}
