using System.Net;
using System.Security.Cryptography;
using Npgsql;
using Optiks.Storage.Driver;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>An Npgsql connection string, and the settings of a role's sessions.</summary>
internal sealed class PostgreSqlSettings
{
    /// <summary>The time in seconds after which the update-service's driver gives up on a command.</summary>
    public const int CommandSeconds = 6;

    private const int MaxConnectSeconds = 3;

    private static readonly Sql s_firstAccept = new("INSERT INTO request (request_id, body_hash) SELECT request_id, body_hash FROM request WHERE false");
    private static readonly Sql s_firstLease = new("UPDATE head SET fence = fence WHERE false");
    private static readonly Sql s_firstLeaves = new("SELECT label FROM leaf WHERE false");

    // The limits are in milliseconds. A process that was paused inside a transaction must not block its successor, so waits for locks have
    // a time limit, and so do idle transactions.
    private const string Waits = "SET lock_timeout = 5000; SET idle_in_transaction_session_timeout = 10000; ";

    // Warnings stay on, because the server only warns about a commit that a standby has not confirmed, and answers the commit nevertheless.
    private const string Commits = "SET search_path = optiks; SET synchronous_commit = on; SET client_min_messages = warning; SET default_transaction_isolation = 'read committed'";

    private readonly NpgsqlConnectionStringBuilder _builder;

    private readonly bool _writes;

    private readonly string _session;

    private PostgreSqlSettings(NpgsqlConnectionStringBuilder builder, string role)
    {
        _builder = builder;
        _writes = role is "update" or "task";
        // Settings made in each session take precedence over those of the server's file, the database and the user, even when those change
        // later. SQL statements make these settings, because a pooler refuses most of them as startup parameters.
        _session = role switch
        {
            "migrate" => "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 60000; ",
            // This role reads ranges of primary keys in their order. Statistics never cover the newest epochs, and plans based on
            // statistics used a parallel worker, a sort and a lookup per value for an epoch's leaves. So the settings exclude such plans.
            "query" => Waits + "SET statement_timeout = 30000; SET default_transaction_read_only = on; SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; "
                + "SET enable_nestloop = off; SET enable_sort = off; SET max_parallel_workers_per_gather = 0; SET jit = off; ",
            // This role looks up single rows in tables that grow from empty to millions of rows within minutes. A plan based on statistics
            // of an empty table would scan them.
            "update" => "SET lock_timeout = 4000; SET idle_in_transaction_session_timeout = 10000; SET statement_timeout = 5000; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; "
                + "SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET max_parallel_workers_per_gather = 0; SET jit = off; ",
            // Tables grow quickly for this role too, so plans must use the indexes, whatever the statistics or the length of a list.
            "task" => Waits + "SET statement_timeout = 30000; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off; SET max_parallel_workers_per_gather = 0; SET jit = off; ",
            _ => Waits + "SET statement_timeout = 30000; ",
        } + Commits;
        FirstWork = role switch
        {
            "update" => s_firstAccept,
            "task" => s_firstLease,
            "query" => s_firstLeaves,
            _ => null,
        };
    }

    /// <summary>The role's first work: a statement that touches no row and needs the role's rights; null for an operator's role.</summary>
    public Sql? FirstWork { get; }

    /// <summary>The location shown in messages, without secrets.</summary>
    public string Location => $"{_builder.Database} at {_builder.Host}:{_builder.Port}";

    /// <summary>The SSL mode of the connections.</summary>
    public SslMode SslMode => _builder.SslMode;

    /// <summary>The application_name of these connections.</summary>
    public string Session => _builder.ApplicationName!;

    /// <summary>
    /// Reads a connection string for a role (<c>update</c>, <c>task</c>, <c>query</c>, <c>maintenance</c>, <c>migrate</c>). Throws
    /// <see cref="StorageMisconfiguredException"/>.
    /// </summary>
    public static PostgreSqlSettings Parse(string connectionString, string role)
    {
        NpgsqlConnectionStringBuilder builder;
        try
        {
            builder = new NpgsqlConnectionStringBuilder(connectionString);
        }
        // The message quotes neither the parser's text nor the connection string. The parser mistakes a URL, or a password with a
        // semicolon, for a name, and its text quotes that name.
        catch (Exception e) when (e is ArgumentException or FormatException or InvalidCastException)
        {
            throw new StorageMisconfiguredException(
                "The connection string is not one of Npgsql's: it has a name that Npgsql does not know, or a value of a wrong form. Write 'Host=db;Database=optiks;Username=optiks', not a URL, and quote a password that has ';' or '='.");
        }
        if (string.IsNullOrEmpty(builder.Host) || string.IsNullOrEmpty(builder.Database))
        {
            throw new StorageMisconfiguredException("The connection string has no Host or no Database: for PostgreSQL, write 'Host=db;Database=optiks;Username=optiks'.");
        }
        RequireEncryption(builder);
        // Each store has its own name: a successor in the lease ends all sessions of the store that held it, and no other sessions.
        builder.ApplicationName = $"optiks-{role}-{RandomNumberGenerator.GetHexString(32, lowercase: true)}";
        builder.Multiplexing = false;
        builder.Enlist = false;
        builder.IncludeErrorDetail = false;
        builder.MaxAutoPrepare = 100;
        builder.AutoPrepareMinUsages = 2;
        builder.CommandTimeout = 40;
        builder.CancellationTimeout = 2000;
        builder.KeepAlive = 10;
        // The driver must not reset a session that returns to the pool, because a reset would undo the session's settings. No statement
        // leaves any other state behind.
        builder.NoResetOnClose = true;
        if (role == "update")
        {
            // A server that hangs must not make the update-service's callers hang. The server's own limit comes first. A second later the
            // driver gives up, and asks the server on a new connection to cancel the command. Together this takes less time than a host has
            // to stop.
            builder.CommandTimeout = CommandSeconds;
            builder.CancellationTimeout = 1000;
            builder.Timeout = builder.Timeout is 0 or > MaxConnectSeconds ? MaxConnectSeconds : builder.Timeout;
        }
        return new PostgreSqlSettings(builder, role);
    }

    /// <summary>Returns whether all hosts of a connection string name this machine: loopback addresses, or folders of sockets.</summary>
    internal static bool IsLocal(string hosts) => hosts.Split(',').All(IsLocalHost);

    private static bool IsLocalHost(string host)
    {
        string name = host.Trim();
        if (name.StartsWith('/') || name.StartsWith('@'))
        {
            return true;
        }
        // Npgsql accepts a port after a host.
        if (name.StartsWith('['))
        {
            name = name.TrimStart('[').Split(']')[0];
        }
        else if (name.Count(one => one == ':') == 1)
        {
            name = name.Split(':')[0];
        }
        return name.Equals("localhost", StringComparison.OrdinalIgnoreCase) || (IPAddress.TryParse(name, out IPAddress? address) && IPAddress.IsLoopback(address));
    }

    // Requires a mode of at least VerifyCA for other machines. With Npgsql's default and the modes below VerifyCA, an attacker between the
    // machines can make the driver accept an unencrypted connection or any certificate.
    private static void RequireEncryption(NpgsqlConnectionStringBuilder builder)
    {
        if (IsLocal(builder.Host!))
        {
            return;
        }
        if (!builder.ShouldSerialize("SSL Mode"))
        {
            builder.SslMode = SslMode.VerifyFull;
        }
        if (builder.SslMode is not (SslMode.VerifyCA or SslMode.VerifyFull))
        {
            throw new StorageMisconfiguredException(
                $"The connection to {builder.Host} must be encrypted and the server's certificate verified: write 'SSL Mode=VerifyFull' into the connection string, and 'Root Certificate=FILE' for an authority of your own.");
        }
    }

    /// <summary>Creates the pool.</summary>
    public NpgsqlDataSource CreateDataSource()
    {
        var source = new NpgsqlSlimDataSourceBuilder(_builder.ConnectionString);
        source.EnableTransportSecurity();
        source.EnableIntegratedSecurity();
        source.EnableArrays();
        source.UsePhysicalConnectionInitializer(
            connection => throw new NotSupportedException("Connections are opened asynchronously."),
            async connection =>
            {
                await using (NpgsqlCommand settings = connection.Command(_session))
                {
                    _ = await settings.ExecuteNonQueryAsync();
                }
                await PostgreSqlSchema.ThrowIfLosesCommitsAsync(connection, Location, _writes);
            });
        return source.Build();
    }
}
