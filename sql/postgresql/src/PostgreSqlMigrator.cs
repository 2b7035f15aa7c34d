using Npgsql;
using NpgsqlTypes;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>Upgrades an existing database to this build's schema. The user of the connection will own the tables.</summary>
internal sealed class PostgreSqlMigrator : Migrator
{
    private static readonly Sql s_lock = new($"SELECT pg_advisory_xact_lock({AdvisoryLocks.Migrate})");

    private static readonly Sql s_create = new(
        """
        CREATE SCHEMA IF NOT EXISTS optiks;
        CREATE TABLE optiks.migration (
          version    integer NOT NULL CONSTRAINT pk_migration PRIMARY KEY,
          applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
          name       text NOT NULL
        );
        """);

    // The names of the roles that grants.sql creates.
    private static readonly string[] s_roles = ["optiks_update", "optiks_task", "optiks_query"];

    private readonly PostgreSqlSettings _settings;

    public PostgreSqlMigrator(PostgreSqlSettings settings)
        : base(PostgreSqlSchema.Schema) => _settings = settings;

    /// <inheritdoc/>
    public override string Location => _settings.Location;

    /// <inheritdoc/>
    protected override Sql InsertMigration { get; } = new("INSERT INTO migration (version, name) VALUES ($1, $2)");

    /// <inheritdoc/>
    public override async Task<int> ReadVersionAsync(CancellationToken cancellationToken)
    {
        await using Database database = Database.Connect(_settings);
        try
        {
            return await database.ReadAsync(PostgreSqlSchema.ReadVersionAsync, cancellationToken);
        }
        catch (StorageMisconfiguredException e)
            when (e.InnerException is PostgresException { SqlState: PostgresErrorCodes.InvalidCatalogName })
        {
            return 0;
        }
    }

    /// <inheritdoc/>
    public override async Task<IReadOnlyList<string>> FindGapsAsync(CancellationToken cancellationToken)
    {
        await using Database database = Database.Connect(_settings);
        return await database.ReadAsync<IReadOnlyList<string>>(
            async (session, cancel) =>
            {
                var gaps = new List<string>();
                await using NpgsqlCommand select = session.Connection.Command(
                    "SELECT name FROM unnest($1) AS name WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) ORDER BY name",
                    Commands.List(s_roles, NpgsqlDbType.Text));
                await using NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancel);
                while (await reader.ReadAsync(cancel))
                {
                    string role = reader.GetString(0);
                    gaps.Add(
                        $"The role {role} is missing, as this user may not create roles: have an administrator run 'CREATE ROLE {role} NOLOGIN', then run migrate again.");
                }
                return gaps;
            },
            cancellationToken);
    }

    /// <inheritdoc/>
    protected override Task<IDatabase> OpenAsync(CancellationToken cancellationToken) =>
        Task.FromResult<IDatabase>(Database.Connect(_settings));

    /// <inheritdoc/>
    protected override Task LockAsync(ISession session, CancellationToken cancellationToken) =>
        session.ChangeAsync(s_lock, cancellationToken);

    /// <inheritdoc/>
    protected override Task<int> ReadVersionAsync(ISession session, CancellationToken cancellationToken) =>
        PostgreSqlSchema.ReadVersionAsync(session, cancellationToken);

    /// <inheritdoc/>
    protected override Task CreateAsync(ISession session, CancellationToken cancellationToken) =>
        session.ChangeAsync(s_create, cancellationToken);

    /// <inheritdoc/>
    protected override async Task RunAsync(ISession session, string script, CancellationToken cancellationToken)
    {
        await using NpgsqlCommand command = ((Session)session).Connection.Command(script);
        _ = await command.ExecuteNonQueryAsync(cancellationToken);
    }

    /// <inheritdoc/>
    protected override Task CheckAsync(IDatabase database, CancellationToken cancellationToken) =>
        ((Database)database).CheckAsync(cancellationToken);
}
