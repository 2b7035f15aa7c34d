using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>Upgrades an existing database to this build's schema. The connection's user must own the database.</summary>
internal sealed class SqlServerMigrator : Migrator
{
    private static readonly Statement s_lock = new(
        """
        DECLARE @got int;
        EXEC @got = sp_getapplock @Resource = N'optiks.migrate', @LockMode = N'Exclusive', @LockOwner = N'Transaction', @LockTimeout = -1;
        IF @got < 0 THROW 50001, N'The lock of migrations cannot be had.', 1;
        """);

    // This statement is separate because a schema must be created in its own batch.
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

    public SqlServerMigrator(SqlServerSettings settings)
        : base(SqlServerSchema.Schema) => _settings = settings;

    /// <inheritdoc/>
    public override string Location => _settings.Location;

    /// <inheritdoc/>
    protected override Sql InsertMigration => s_insertMigration;

    /// <inheritdoc/>
    public override async Task<int> ReadVersionAsync(CancellationToken cancellationToken)
    {
        await using Database database = Database.Connect(_settings);
        try
        {
            return await database.ReadAsync(ReadVersionAsync, cancellationToken);
        }
        catch (StorageMisconfiguredException e) when (SqlServerErrors.IsNoSuchDatabase(e.InnerException))
        {
            return 0;
        }
    }

    /// <inheritdoc/>
    protected override Task<IDatabase> OpenAsync(CancellationToken cancellationToken) =>
        Task.FromResult<IDatabase>(Database.Connect(_settings));

    /// <inheritdoc/>
    protected override Task LockAsync(ISession session, CancellationToken cancellationToken) =>
        RunAsync(session, [s_lock], cancellationToken);

    /// <inheritdoc/>
    protected override Task<int> ReadVersionAsync(ISession session, CancellationToken cancellationToken) =>
        SqlServerSchema.ReadVersionAsync(session, cancellationToken);

    /// <inheritdoc/>
    protected override Task CreateAsync(ISession session, CancellationToken cancellationToken) =>
        RunAsync(session, [s_createSchema, s_createMigration], cancellationToken);

    /// <inheritdoc/>
    protected override Task RunAsync(ISession session, string script, CancellationToken cancellationToken) =>
        RunAsync(session, SqlServerSchema.Batches(script), cancellationToken);

    /// <inheritdoc/>
    protected override Task CheckAsync(IDatabase database, CancellationToken cancellationToken) =>
        ((Database)database).CheckAsync(cancellationToken);

    private static async Task RunAsync(ISession session, Statement[] batches, CancellationToken cancellationToken)
    {
        foreach (Statement batch in batches)
        {
            await ((Connection)session).ExecuteAsync(batch, cancellationToken);
        }
    }
}
