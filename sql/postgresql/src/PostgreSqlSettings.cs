using System.Security.Cryptography;
using Npgsql;

namespace Optiks.Storage.PostgreSql;

/// <summary>PostgreSqlSettings are a connection string of Npgsql and what every session of a role is set to.</summary>
internal sealed class PostgreSqlSettings
{
    /// <summary>CommandSeconds after which the update-service's driver gives a command up.</summary>
    public const int CommandSeconds = 6;

    private const int MaxConnectSeconds = 3;

    private readonly NpgsqlConnectionStringBuilder _builder;

    private readonly bool _writes;

    private PostgreSqlSettings(NpgsqlConnectionStringBuilder builder, bool writes)
    {
        _builder = builder;
        _writes = writes;
    }

    /// <summary>Location for messages, without secrets.</summary>
    public string Location => $"{_builder.Database} at {_builder.Host}:{_builder.Port}";

    /// <summary>Session is the application_name of these connections.</summary>
    public string Session => _builder.ApplicationName!;

    /// <summary>
    /// Parse reads a connection string for a role (<c>update</c>, <c>task</c>, <c>query</c>, <c>maintenance</c>, <c>migrate</c>). Throws <see cref="StorageMisconfiguredException"/>.
    /// </summary>
    public static PostgreSqlSettings Parse(string connectionString, string role)
    {
        NpgsqlConnectionStringBuilder builder;
        try
        {
            builder = new NpgsqlConnectionStringBuilder(connectionString);
        }
        catch (Exception e) when (e is ArgumentException or FormatException or InvalidCastException)
        {
            throw new StorageMisconfiguredException($"The connection string is not one of Npgsql's, such as 'Host=db;Database=optiks;Username=optiks': {e.Message}", e);
        }
        if (string.IsNullOrEmpty(builder.Host) || string.IsNullOrEmpty(builder.Database))
        {
            throw new StorageMisconfiguredException("The connection string names no Host or no Database: for PostgreSQL 'Host=db;Database=optiks;Username=optiks'.");
        }
        // A name for each store: a successor in the lease ends all sessions of the store that held it, and no other.
        builder.ApplicationName = $"optiks-{role}-{RandomNumberGenerator.GetHexString(32, lowercase: true)}";
        builder.SearchPath = "optiks";
        builder.Multiplexing = false;
        builder.Enlist = false;
        builder.IncludeErrorDetail = false;
        builder.MaxAutoPrepare = 100;
        builder.AutoPrepareMinUsages = 2;
        builder.CommandTimeout = 40;
        builder.CancellationTimeout = 2000;
        builder.KeepAlive = 10;
        if (role == "update")
        {
            // A server that hangs must not hang the update-service's callers: the server gives up by itself, or the driver a second later, which asks it on a new connection to stop.
            // All in all less than a host has to stop in.
            builder.CommandTimeout = CommandSeconds;
            builder.CancellationTimeout = 1000;
            builder.Timeout = builder.Timeout is 0 or > MaxConnectSeconds ? MaxConnectSeconds : builder.Timeout;
            // No statement leaves anything in its session that would have to be reset.
            builder.NoResetOnClose = true;
        }
        // Given at the start of each session, settings outrank those of the server's file, the database and the user, when they change later too. Milliseconds. A
        // process that was paused inside a transaction must not stop its successor: lock waits end, and so does the idle session.
        string settings = role switch
        {
            "migrate" => "-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=60000",
            // It reads ranges of primary keys in their order. By statistics, which never know of the newest epochs, an epoch's leaves took a parallel worker, a sort and a lookup for each value.
            "query" => "-c statement_timeout=30000 -c lock_timeout=5000 -c idle_in_transaction_session_timeout=10000 -c default_transaction_read_only=on"
                + " -c enable_seqscan=off -c enable_bitmapscan=off -c enable_hashjoin=off -c enable_nestloop=off -c enable_sort=off -c max_parallel_workers_per_gather=0 -c jit=off",
            // It looks up single rows in tables that grow from nothing to millions of rows within minutes: a plan by statistics of an empty table would read them whole.
            "update" => "-c statement_timeout=5000 -c lock_timeout=4000 -c idle_in_transaction_session_timeout=10000 -c plan_cache_mode=force_generic_plan"
                + " -c enable_seqscan=off -c enable_bitmapscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c max_parallel_workers_per_gather=0 -c jit=off",
            // Likewise: plans must follow the indexes, not statistics or the length of a list.
            "task" => "-c statement_timeout=30000 -c lock_timeout=5000 -c idle_in_transaction_session_timeout=10000 -c plan_cache_mode=force_generic_plan"
                + " -c enable_seqscan=off -c enable_bitmapscan=off -c max_parallel_workers_per_gather=0 -c jit=off",
            _ => "-c statement_timeout=30000 -c lock_timeout=5000 -c idle_in_transaction_session_timeout=10000",
        };
        // The server warns of a commit that a standby has not confirmed, and answers it all the same.
        settings += " -c synchronous_commit=on -c client_min_messages=warning -c default_transaction_isolation=read\\ committed";
        builder.Options = string.IsNullOrEmpty(builder.Options) ? settings : $"{builder.Options} {settings}";
        return new PostgreSqlSettings(builder, writes: role is "update" or "task");
    }

    /// <summary>CreateDataSource makes the pool.</summary>
    public NpgsqlDataSource CreateDataSource()
    {
        var source = new NpgsqlSlimDataSourceBuilder(_builder.ConnectionString);
        source.EnableTransportSecurity();
        source.EnableIntegratedSecurity();
        source.EnableArrays();
        source.UsePhysicalConnectionInitializer(
            connection => throw new NotSupportedException("Connections are opened asynchronously."),
            connection => PostgreSqlSchema.ThrowIfLosesCommitsAsync(connection, Location, _writes));
        return source.Build();
    }
}
