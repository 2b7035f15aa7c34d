using System.Net;
using System.Security.Cryptography;
using Microsoft.Data.SqlClient;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>Parses a connection string of Microsoft.Data.SqlClient, and holds the settings of a role's connections.</summary>
internal sealed class SqlServerSettings
{
    // The longest time in seconds that the update-service waits for a new connection. It is short because the service's callers wait too.
    private const int MaxConnectSeconds = 3;

    private readonly SqlConnectionStringBuilder _builder;

    private SqlServerSettings(SqlConnectionStringBuilder builder, SessionLimits limits)
    {
        _builder = builder;
        Limits = limits;
    }

    /// <summary>The time limits of the role's statements.</summary>
    public SessionLimits Limits { get; }

    /// <summary>The location of the database for messages, without secrets.</summary>
    public string Location => $"{_builder.InitialCatalog} at {_builder.DataSource}";

    /// <summary>The program_name of the connections, which identifies the store's sessions.</summary>
    public string Session => _builder.ApplicationName;

    public string ConnectionString => _builder.ConnectionString;

    public string UnpooledConnectionString =>
        new SqlConnectionStringBuilder(_builder.ConnectionString) { Pooling = false }.ConnectionString;

    /// <summary>
    /// Parses a connection string for a role (<c>update</c>, <c>task</c>, <c>query</c>, <c>maintenance</c>, <c>migrate</c>). Throws
    /// <see cref="StorageMisconfiguredException"/> if the string is invalid, or if it allows a connection to another machine without
    /// encryption or without verifying the certificate.
    /// </summary>
    public static SqlServerSettings Parse(string connectionString, string role)
    {
        SqlConnectionStringBuilder builder;
        try
        {
            builder = new SqlConnectionStringBuilder(connectionString);
        }
        // The message quotes neither the parser's text nor the connection string. If the string is a URL, or a password in it has a
        // semicolon, the parser's text can quote the password, because the parser takes it for a setting's name.
        catch (Exception e) when (e is ArgumentException or FormatException or OverflowException or InvalidCastException)
        {
            throw new StorageMisconfiguredException(
                "The connection string is not one of Microsoft.Data.SqlClient's: it has a name that the client does not know, or a value of a wrong form. Write 'Server=db;Database=optiks;User ID=optiks', not a URL, and quote a password that has ';' or '='.");
        }
        if (builder.DataSource.Length == 0 || builder.InitialCatalog.Length == 0)
        {
            throw new StorageMisconfiguredException(
                "The connection string has no Server or no Database: for SQL Server, write 'Server=db;Database=optiks;User ID=optiks'.");
        }
        RequireEncryption(builder);
        // Each store has a name of its own, so that the next holder of the lease can end all sessions of the store that held the lease
        // before, and no other sessions.
        builder.ApplicationName = $"optiks-{role}-{RandomNumberGenerator.GetHexString(32, lowercase: true)}";
        builder.MultipleActiveResultSets = false;
        builder.Enlist = false;
        builder.PersistSecurityInfo = false;
        // The client must not reconnect automatically, because the connection would continue in another session. The driver itself repeats
        // work when that is safe.
        builder.ConnectRetryCount = 0;
        // Without this setting, one failed attempt makes the pool refuse connections for 5 to 60 s without asking the server, although the
        // server may be back after one second.
        builder.PoolBlockingPeriod = PoolBlockingPeriod.NeverBlock;
        if (role == "update")
        {
            builder.ConnectTimeout = builder.ConnectTimeout is 0 or > MaxConnectSeconds ? MaxConnectSeconds : builder.ConnectTimeout;
        }
        return new SqlServerSettings(builder, SessionLimits.Parse(role));
    }

    /// <summary>
    /// Returns whether the value of Data Source, such as <c>tcp:127.0.0.1,1433</c> or <c>localhost\INSTANCE</c>, names this machine.
    /// </summary>
    internal static bool IsLoopback(string dataSource)
    {
        string host = dataSource.Trim();
        host = host.StartsWith("tcp:", StringComparison.OrdinalIgnoreCase) ? host[4..].Trim() : host;
        int end = host.AsSpan().IndexOfAny(',', '\\');
        host = (end < 0 ? host : host[..end]).Trim();
        return host is "." || host.Equals("(local)", StringComparison.OrdinalIgnoreCase)
            || host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
            || (IPAddress.TryParse(host, out IPAddress? address) && IPAddress.IsLoopback(address));
    }

    // Sets encryption and the check of the certificate explicitly, because the defaults differ between versions of the client. A connection
    // over a loopback address does not leave the machine, so the operator chooses both settings for it. Explicit settings that are allowed,
    // such as Encrypt=Strict, stay.
    private static void RequireEncryption(SqlConnectionStringBuilder builder)
    {
        bool isEncryptSaid = builder.ShouldSerialize("Encrypt");
        bool isEncrypted = builder.Encrypt;
        // The failover partner must be on this machine too, because the client may connect to it automatically, with the same settings.
        bool staysHere = IsLoopback(builder.DataSource) && (builder.FailoverPartner.Length == 0 || IsLoopback(builder.FailoverPartner));
        if (!staysHere && ((isEncryptSaid && !isEncrypted) || builder.TrustServerCertificate))
        {
            string servers = builder.FailoverPartner.Length == 0
                ? builder.DataSource
                : $"{builder.DataSource} and {builder.FailoverPartner}";
            throw new StorageMisconfiguredException(
                $"The connection to {servers} must be encrypted and the server's certificate verified: leave Encrypt=false and TrustServerCertificate=true out of the connection string.");
        }
        if (!isEncryptSaid)
        {
            builder.Encrypt = !staysHere;
        }
    }
}
