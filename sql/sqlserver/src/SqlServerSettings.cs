using System.Net;
using System.Security.Cryptography;
using Microsoft.Data.SqlClient;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>A connection string of Microsoft.Data.SqlClient, and the settings of a role's connections.</summary>
internal sealed class SqlServerSettings
{
    // The longest time for opening a connection in the update-service, so that its callers do not wait longer.
    private const int MaxConnectSeconds = 3;

    private readonly SqlConnectionStringBuilder _builder;

    private SqlServerSettings(SqlConnectionStringBuilder builder, SessionLimits limits)
    {
        _builder = builder;
        Limits = limits;
    }

    /// <summary>The limits of these connections.</summary>
    public SessionLimits Limits { get; }

    /// <summary>The location shown in messages, without secrets.</summary>
    public string Location => $"{_builder.InitialCatalog} at {_builder.DataSource}";

    /// <summary>The program_name of these connections.</summary>
    public string Session => _builder.ApplicationName;

    public string ConnectionString => _builder.ConnectionString;

    public string UnpooledConnectionString => new SqlConnectionStringBuilder(_builder.ConnectionString) { Pooling = false }.ConnectionString;

    /// <summary>
    /// Reads a connection string for a role (<c>update</c>, <c>task</c>, <c>query</c>, <c>maintenance</c>, <c>migrate</c>). Throws
    /// <see cref="StorageMisconfiguredException"/>, including for a connection to another machine that is not encrypted or whose
    /// certificate is not verified.
    /// </summary>
    public static SqlServerSettings Parse(string connectionString, string role)
    {
        SqlConnectionStringBuilder builder;
        try
        {
            builder = new SqlConnectionStringBuilder(connectionString);
        }
        // The message quotes neither the parser's text nor the connection string: the parser mistakes a URL, or a password with a
        // semicolon, for a name, and its text quotes that name.
        catch (Exception e) when (e is ArgumentException or FormatException or OverflowException or InvalidCastException)
        {
            throw new StorageMisconfiguredException(
                "The connection string is not one of Microsoft.Data.SqlClient's: it has a name that the client does not know, or a value of a wrong form. Write 'Server=db;Database=optiks;User ID=optiks', not a URL, and quote a password that has ';' or '='.");
        }
        if (builder.DataSource.Length == 0 || builder.InitialCatalog.Length == 0)
        {
            throw new StorageMisconfiguredException("The connection string has no Server or no Database: for SQL Server, write 'Server=db;Database=optiks;User ID=optiks'.");
        }
        RequireEncryption(builder);
        // Each store has its own name: a successor in the lease ends all sessions of the store that held it, and no other sessions.
        builder.ApplicationName = $"optiks-{role}-{RandomNumberGenerator.GetHexString(32, lowercase: true)}";
        builder.MultipleActiveResultSets = false;
        builder.Enlist = false;
        builder.PersistSecurityInfo = false;
        // The client must not reconnect by itself, because the connection would continue in another session. The driver repeats work when
        // that is safe.
        builder.ConnectRetryCount = 0;
        // Without this setting, one failed attempt makes the pool refuse connections for 5 to 60 s without asking the server, which may be
        // back after one second.
        builder.PoolBlockingPeriod = PoolBlockingPeriod.NeverBlock;
        if (role == "update")
        {
            builder.ConnectTimeout = builder.ConnectTimeout is 0 or > MaxConnectSeconds ? MaxConnectSeconds : builder.ConnectTimeout;
        }
        return new SqlServerSettings(builder, SessionLimits.Parse(role));
    }

    /// <summary>
    /// Returns whether a Data Source, such as <c>tcp:127.0.0.1,1433</c> or <c>localhost\INSTANCE</c>, names this machine.
    /// </summary>
    internal static bool IsLoopback(string dataSource)
    {
        string host = dataSource.Trim();
        host = host.StartsWith("tcp:", StringComparison.OrdinalIgnoreCase) ? host[4..].Trim() : host;
        int end = host.AsSpan().IndexOfAny(',', '\\');
        host = (end < 0 ? host : host[..end]).Trim();
        return host is "." || host.Equals("(local)", StringComparison.OrdinalIgnoreCase) || host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
            || (IPAddress.TryParse(host, out IPAddress? address) && IPAddress.IsLoopback(address));
    }

    // Makes encryption and the check of the certificate explicit, because the defaults differ between versions of the client. A loopback
    // connection does not leave the machine, so there both settings are the operator's choice. Other explicit settings, such as
    // Encrypt=Strict, stay.
    private static void RequireEncryption(SqlConnectionStringBuilder builder)
    {
        bool isEncryptSaid = builder.ShouldSerialize("Encrypt");
        bool isEncrypted = builder.Encrypt;
        // The failover partner must be on this machine too, because the client connects to it by itself, with the same settings.
        bool staysHere = IsLoopback(builder.DataSource) && (builder.FailoverPartner.Length == 0 || IsLoopback(builder.FailoverPartner));
        if (!staysHere && ((isEncryptSaid && !isEncrypted) || builder.TrustServerCertificate))
        {
            string servers = builder.FailoverPartner.Length == 0 ? builder.DataSource : $"{builder.DataSource} and {builder.FailoverPartner}";
            throw new StorageMisconfiguredException(
                $"The connection to {servers} must be encrypted and the server's certificate verified: leave Encrypt=false and TrustServerCertificate=true out of the connection string.");
        }
        if (!isEncryptSaid)
        {
            builder.Encrypt = !staysHere;
        }
    }
}
