using System.Net;
using System.Security.Cryptography;
using Microsoft.Data.SqlClient;

namespace Optiks.Storage.SqlServer;

/// <summary>SqlServerSettings are a connection string of Microsoft.Data.SqlClient and what every connection of a role is set to.</summary>
internal sealed class SqlServerSettings
{
    private readonly SqlConnectionStringBuilder _builder;

    private SqlServerSettings(SqlConnectionStringBuilder builder) => _builder = builder;

    /// <summary>Location for messages, without secrets.</summary>
    public string Location => $"{_builder.InitialCatalog} at {_builder.DataSource}";

    /// <summary>Session is the program_name of these connections.</summary>
    public string Session => _builder.ApplicationName;

    public string ConnectionString => _builder.ConnectionString;

    public string UnpooledConnectionString => new SqlConnectionStringBuilder(_builder.ConnectionString) { Pooling = false }.ConnectionString;

    /// <summary>
    /// Parse reads a connection string for a role (<c>update</c>, <c>task</c>, <c>query</c>, <c>maintenance</c>, <c>migrate</c>). Throws <see cref="StorageMisconfiguredException"/>, also where it asks for
    /// a connection to another machine that is not encrypted or whose certificate is not verified.
    /// </summary>
    public static SqlServerSettings Parse(string connectionString, string role)
    {
        SqlConnectionStringBuilder builder;
        try
        {
            builder = new SqlConnectionStringBuilder(connectionString);
        }
        catch (Exception e) when (e is ArgumentException or FormatException or OverflowException or InvalidCastException)
        {
            throw new StorageMisconfiguredException($"The connection string is not one of Microsoft.Data.SqlClient's, such as 'Server=db;Database=optiks;User ID=optiks': {e.Message}", e);
        }
        if (builder.DataSource.Length == 0 || builder.InitialCatalog.Length == 0)
        {
            throw new StorageMisconfiguredException("The connection string names no Server or no Database: for SQL Server 'Server=db;Database=optiks;User ID=optiks'.");
        }
        // What is not said differs between versions of the client. A loopback connection leaves no machine: there, both are the operator's choice.
        bool isEncryptSaid = builder.ShouldSerialize("Encrypt");
        bool isEncrypted = builder.Encrypt;
        if (IsLoopback(builder.DataSource))
        {
            builder.Encrypt = isEncryptSaid && isEncrypted;
        }
        else if ((isEncryptSaid && !isEncrypted) || builder.TrustServerCertificate)
        {
            throw new StorageMisconfiguredException(
                $"The connection to {builder.DataSource} must be encrypted and the server's certificate verified: leave Encrypt=false and TrustServerCertificate=true out of the connection string.");
        }
        else if (!isEncryptSaid)
        {
            builder.Encrypt = true;
        }
        // A name for each store: a successor in the lease ends all sessions of the store that held it, and no other.
        builder.ApplicationName = $"optiks-{role}-{RandomNumberGenerator.GetHexString(32, lowercase: true)}";
        builder.MultipleActiveResultSets = false;
        builder.Enlist = false;
        builder.PersistSecurityInfo = false;
        // A connection that comes back by itself inside the client would go on in another session. The driver itself begins again where nothing was lost.
        builder.ConnectRetryCount = 0;
        return new SqlServerSettings(builder);
    }

    /// <summary>IsLoopback says whether a Data Source, such as <c>tcp:127.0.0.1,1433</c> or <c>localhost\INSTANCE</c>, is this machine by its name.</summary>
    internal static bool IsLoopback(string dataSource)
    {
        string host = dataSource.Trim();
        host = host.StartsWith("tcp:", StringComparison.OrdinalIgnoreCase) ? host[4..].Trim() : host;
        int end = host.AsSpan().IndexOfAny(',', '\\');
        host = (end < 0 ? host : host[..end]).Trim();
        return host is "." || host.Equals("(local)", StringComparison.OrdinalIgnoreCase) || host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
            || (IPAddress.TryParse(host, out IPAddress? address) && IPAddress.IsLoopback(address));
    }
}
