using Npgsql;
using NpgsqlTypes;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>PostgreSqlMigrator brings an existing database to this build's schema, as the user who will own the tables.</summary>
internal sealed class PostgreSqlMigrator : IMigrator
{
    // Those of grants.sql.
    private static readonly string[] s_roles = ["optiks_update", "optiks_task", "optiks_query"];

    private readonly PostgreSqlSettings _settings;

    public PostgreSqlMigrator(PostgreSqlSettings settings) => _settings = settings;

    /// <inheritdoc/>
    public string Location => _settings.Location;

    /// <inheritdoc/>
    public int TargetVersion => PostgreSqlSchema.TargetVersion;

    /// <inheritdoc/>
    public async Task<int> ReadVersionAsync(CancellationToken cancellationToken)
    {
        await using Database database = Database.Connect(_settings);
        try
        {
            return await database.ReadAsync(PostgreSqlSchema.ReadVersionAsync, cancellationToken);
        }
        catch (StorageMisconfiguredException e) when (e.InnerException is PostgresException { SqlState: PostgresErrorCodes.InvalidCatalogName })
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
        await database.ReadAsync<object?>(
            async (connection, cancel) =>
            {
                await PostgreSqlSchema.ThrowIfUnusableAsync(connection, Location, cancel);
                return null;
            },
            cancellationToken);
        return applied;
    }

    /// <inheritdoc/>
    public async Task<IReadOnlyList<string>> FindGapsAsync(CancellationToken cancellationToken)
    {
        await using Database database = Database.Connect(_settings);
        return await database.ReadAsync<IReadOnlyList<string>>(
            async (connection, cancel) =>
            {
                var gaps = new List<string>();
                await using NpgsqlCommand select = connection.Command(
                    "SELECT name FROM unnest($1) AS name WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) ORDER BY name", Commands.List(s_roles, NpgsqlDbType.Text));
                await using NpgsqlDataReader reader = await select.ExecuteReaderAsync(cancel);
                while (await reader.ReadAsync(cancel))
                {
                    string role = reader.GetString(0);
                    gaps.Add($"The role {role} is missing, as this user may not create roles: have an administrator run 'CREATE ROLE {role} NOLOGIN', then run migrate again.");
                }
                return gaps;
            },
            cancellationToken);
    }

    // Empty: nothing is missing. The lock keeps a second migrator waiting; it then finds the version that the first one left.
    private async Task<WriteResult<string>> ApplyNextAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        await ExecuteAsync(connection, $"SELECT pg_advisory_xact_lock({AdvisoryLocks.Migrate})", cancellationToken);
        int version = await PostgreSqlSchema.ReadVersionAsync(connection, cancellationToken);
        if (version > TargetVersion)
        {
            throw new StorageMisconfiguredException(
                $"The database {Location} has schema version {version}, newer than this program's {TargetVersion}: nothing was changed, run a newer version of this program.");
        }
        if (version == TargetVersion)
        {
            await ExecuteAsync(connection, PostgreSqlSchema.Grants, cancellationToken);
            return new WriteResult<string>("", Commit: true);
        }
        if (version == 0)
        {
            await ExecuteAsync(
                connection,
                """
                CREATE SCHEMA IF NOT EXISTS optiks;
                CREATE TABLE optiks.migration (
                  version    integer NOT NULL CONSTRAINT pk_migration PRIMARY KEY,
                  applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
                  name       text NOT NULL
                );
                """,
                cancellationToken);
        }
        (string name, string sql) = PostgreSqlSchema.Migrations[version];
        await ExecuteAsync(connection, sql, cancellationToken);
        await using NpgsqlCommand insert = connection.Command("INSERT INTO migration (version, name) VALUES ($1, $2)", Commands.Integer(version + 1), Commands.Text(name));
        _ = await insert.ExecuteNonQueryAsync(cancellationToken);
        return new WriteResult<string>(name, Commit: true);
    }

    private static async Task ExecuteAsync(NpgsqlConnection connection, string sql, CancellationToken cancellationToken)
    {
        await using NpgsqlCommand command = connection.Command(sql);
        _ = await command.ExecuteNonQueryAsync(cancellationToken);
    }
}
