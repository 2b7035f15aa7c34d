using System.Net;
using System.Security.Cryptography;
using Npgsql;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>Parses an Npgsql connection string, and holds the settings of a role's sessions.</summary>
internal sealed class PostgreSqlSettings
{
    /// <summary>The time in seconds after which the update-service's driver gives up on a command.</summary>
    public const int CommandSeconds = 6;

    private const int MaxConnectSeconds = 3;

    private static readonly Sql s_firstAccept = new(
        "INSERT INTO request (request_id, body_hash) SELECT request_id, body_hash FROM request WHERE false");
    private static readonly Sql s_firstLease = new("UPDATE head SET fence = fence WHERE false");
    private static readonly Sql s_firstLeaves = new("SELECT label FROM leaf WHERE false");

    // The limits are in milliseconds. Waits for locks and idle transactions have a time limit, because a process that was paused inside a
    // transaction must not block the next holder of the lease.
    private const string Waits = "SET lock_timeout = 5000; SET idle_in_transaction_session_timeout = 10000; ";

    // The driver needs warnings: if a standby has not confirmed a commit, the server still reports the commit as done, and only a warning
    // tells the difference.
    private const string Commits =
        "SET search_path = optiks; SET synchronous_commit = on; SET client_min_messages = warning; SET default_transaction_isolation = 'read committed'";

    private readonly NpgsqlConnectionStringBuilder _builder;

    private readonly bool _writes;

    private readonly string _session;

    private PostgreSqlSettings(NpgsqlConnectionStringBuilder builder, string role)
    {
        _builder = builder;
        _writes = role is "update" or "task";
        // Settings that the session itself makes override those of the server's file, the database and the user, even if an operator
        // changes those later. The driver makes its settings with SQL statements, because a pooler refuses most of them as startup
        // parameters.
        _session = role switch
        {
            "migrate" => "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 60000; ",
            // The query role reads ranges of primary keys in order. The server's statistics never cover the newest epochs. Without these
            // settings, the server therefore read an epoch's leaves with a parallel worker, a sort and a lookup per value. The settings
            // exclude such plans.
            "query" =>
                Waits
                    + "SET statement_timeout = 30000; SET default_transaction_read_only = on; SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; "
                + "SET enable_nestloop = off; SET enable_sort = off; SET max_parallel_workers_per_gather = 0; SET jit = off; ",
            // The update role looks up single rows in tables that grow from empty to millions of rows within minutes. A plan from
            // statistics of an empty table would scan these tables.
            "update" =>
                "SET lock_timeout = 4000; SET idle_in_transaction_session_timeout = 10000; SET statement_timeout = 5000; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; "
                + "SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET max_parallel_workers_per_gather = 0; SET jit = off; ",
            // The task role's tables grow quickly too, so its plans must use the indexes, whatever the statistics or the length of a
            // parameter's list.
            "task" =>
                Waits
                    + "SET statement_timeout = 30000; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off; SET max_parallel_workers_per_gather = 0; SET jit = off; ",
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

    /// <summary>The statement that runs when a store opens. It touches no row, and fails if the user lacks the role's rights. It is null
    /// for an operator's roles.</summary>
    public Sql? FirstWork { get; }

    /// <summary>The location of the database for messages, without secrets.</summary>
    public string Location => $"{_builder.Database} at {_builder.Host}:{_builder.Port}";

    /// <summary>The SSL mode of the connections.</summary>
    public SslMode SslMode => _builder.SslMode;

    /// <summary>The application_name of the connections, which identifies the store's sessions.</summary>
    public string Session => _builder.ApplicationName!;

    /// <summary>
    /// Parses a connection string for a role (<c>update</c>, <c>task</c>, <c>query</c>, <c>maintenance</c>, <c>migrate</c>). Throws
    /// <see cref="StorageMisconfiguredException"/>.
    /// </summary>
    public static PostgreSqlSettings Parse(string connectionString, string role)
    {
        NpgsqlConnectionStringBuilder builder;
        try
        {
            builder = new NpgsqlConnectionStringBuilder(connectionString);
        }
        // The message quotes neither the parser's text nor the connection string. If the string is a URL, or a password in it has a
        // semicolon, the parser's text can quote the password, because the parser takes it for a setting's name.
        catch (Exception e) when (e is ArgumentException or FormatException or InvalidCastException)
        {
            throw new StorageMisconfiguredException(
                "The connection string is not one of Npgsql's: it has a name that Npgsql does not know, or a value of a wrong form. Write 'Host=db;Database=optiks;Username=optiks', not a URL, and quote a password that has ';' or '='.");
        }
        if (string.IsNullOrEmpty(builder.Host) || string.IsNullOrEmpty(builder.Database))
        {
            throw new StorageMisconfiguredException(
                "The connection string has no Host or no Database: for PostgreSQL, write 'Host=db;Database=optiks;Username=optiks'.");
        }
        RequireEncryption(builder);
        // Each store has a name of its own, so that the next holder of the lease can end all sessions of the store that held the lease
        // before, and no other sessions.
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
            // A server that hangs must not make the update-service's callers hang. The server's own limit for a statement expires first.
            // One second later the driver gives up, and asks the server on a new connection to cancel the command. Both together take less
            // time than the host's limit for stopping.
            builder.CommandTimeout = CommandSeconds;
            builder.CancellationTimeout = 1000;
            builder.Timeout = builder.Timeout is 0 or > MaxConnectSeconds ? MaxConnectSeconds : builder.Timeout;
        }
        return new PostgreSqlSettings(builder, role);
    }

    /// <summary>Returns whether all hosts of a connection string are on this machine, because they are loopback addresses or folders of
    /// sockets.</summary>
    internal static bool IsLocal(string hosts) => hosts.Split(',').All(IsLocalHost);

    private static bool IsLocalHost(string host)
    {
        string name = host.Trim();
        if (name.StartsWith('/') || name.StartsWith('@'))
        {
            return true;
        }
        // The text after the host, if there is any, is a port, because Npgsql accepts a port there.
        if (name.StartsWith('['))
        {
            name = name.TrimStart('[').Split(']')[0];
        }
        else if (name.Count(one => one == ':') == 1)
        {
            name = name.Split(':')[0];
        }
        return name.Equals("localhost", StringComparison.OrdinalIgnoreCase)
            || (IPAddress.TryParse(name, out IPAddress? address) && IPAddress.IsLoopback(address));
    }

    // Requires SSL mode VerifyCA or stricter for servers on other machines. With Npgsql's default and other weaker modes, an attacker
    // between the machines can make the driver accept an unencrypted connection, or a certificate that the attacker made.
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

    /// <summary>Creates the pool of connections.</summary>
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
