using Microsoft.Data.SqlClient;

namespace Optiks.Storage.SqlServer.Tests;

/// <summary>Tests, without a server, how the driver changes a connection string.</summary>
public sealed class SettingsTests
{
    [Theory]
    [InlineData("Server=db.example;Database=optiks;Encrypt=false")]
    [InlineData("Server=tcp:10.0.0.7,1433;Database=optiks;Encrypt=no")]
    [InlineData("Server=db.example;Database=optiks;TrustServerCertificate=true")]
    [InlineData("Server=db.example;Database=optiks;Encrypt=true;TrustServerCertificate=yes")]
    [InlineData("Server=localhost.example;Database=optiks;Encrypt=false")]
    [InlineData("Server=localhost;Failover Partner=db.example;Database=optiks;Encrypt=false")]
    [InlineData("Server=127.0.0.1;Failover Partner=db.example;Database=optiks;TrustServerCertificate=true")]
    public void A_connection_to_another_machine_that_could_be_read_is_refused(string connectionString) =>
        Assert.Contains("must be encrypted",
            Assert.Throws<StorageMisconfiguredException>(() => SqlServerSettings.Parse(connectionString, "task")).Message,
            StringComparison.Ordinal);

    [Theory]
    [InlineData("sqlserver://user:s3cret@db/optiks?encrypt=true")]
    [InlineData("Server=db;Database=optiks;Password=s3c;ret=x")]
    [InlineData("Server=db;Database=optiks;s3cret=1")]
    [InlineData("Server=db;Database=optiks;Connect Timeout=s3cret")]
    public void Nothing_of_a_string_that_is_none_is_said(string connectionString)
    {
        StorageMisconfiguredException e =
            Assert.Throws<StorageMisconfiguredException>(() => SqlServerSettings.Parse(connectionString, "task"));
        Assert.DoesNotContain("s3c", e.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Server=db.example;Database=optiks", true, false)]
    [InlineData("Server=db.example;Database=optiks;Encrypt=true", true, false)]
    [InlineData("Server=127.0.0.1,1433;Database=optiks", false, false)]
    [InlineData("Server=127.0.0.1,1433;Failover Partner=127.0.0.1,1434;Database=optiks", false, false)]
    [InlineData("Server=127.0.0.1,1433;Failover Partner=db.example;Database=optiks", true, false)]
    [InlineData("Server=127.0.0.1,1433;Database=optiks;Encrypt=false", false, false)]
    [InlineData("Server=127.0.0.1,1433;Database=optiks;Encrypt=true;TrustServerCertificate=true", true, true)]
    public void Another_machine_is_talked_to_encrypted_and_verified_and_loopback_as_the_operator_says(
        string connectionString, bool isEncrypted, bool isTrusted)
    {
        var builder = new SqlConnectionStringBuilder(SqlServerSettings.Parse(connectionString, "task").ConnectionString);
        bool encrypt = builder.Encrypt;
        Assert.Equal((isEncrypted, isTrusted), (encrypt, builder.TrustServerCertificate));
    }

    [Theory]
    [InlineData("db.example")]
    [InlineData("127.0.0.1")]
    public void Strict_encryption_stays_strict_where_the_client_knows_it(string server)
    {
        string connectionString = $"Server={server};Database=optiks;Encrypt=Strict";
        SqlConnectionStringBuilder asked;
        try
        {
            asked = new SqlConnectionStringBuilder(connectionString);
        }
        // The older version of the client may throw either of these two exceptions.
        catch (Exception e) when (e is ArgumentException or FormatException)
        {
            _ = Assert.Throws<StorageMisconfiguredException>(() => SqlServerSettings.Parse(connectionString, "task"));
            return;
        }
        Assert.Equal(asked.Encrypt,
            new SqlConnectionStringBuilder(SqlServerSettings.Parse(connectionString, "task").ConnectionString).Encrypt);
    }

    [Theory]
    [InlineData("update", 6, 3, "4000")]
    [InlineData("task", 30, 20, "5000")]
    [InlineData("query", 30, 20, "5000")]
    [InlineData("maintenance", 30, 20, "5000")]
    [InlineData("migrate", 0, 20, "-1")]
    public void Each_role_waits_as_long_as_its_callers_can(string role, int commandSeconds, int connectSeconds, string lockMilliseconds)
    {
        SqlServerSettings settings = SqlServerSettings.Parse("Server=db.example;Database=optiks;Connect Timeout=20", role);
        Assert.Equal((commandSeconds, connectSeconds),
            (settings.Limits.CommandSeconds, new SqlConnectionStringBuilder(settings.ConnectionString).ConnectTimeout));
        Assert.Equal($"SET NOCOUNT ON; SET XACT_ABORT ON; SET LOCK_TIMEOUT {lockMilliseconds};\n", settings.Limits.Preamble.Text);
        Assert.Equal(
            2,
            new SqlConnectionStringBuilder(
                SqlServerSettings.Parse("Server=db.example;Database=optiks;Connect Timeout=2", role).ConnectionString).ConnectTimeout);
    }

    [Theory]
    [InlineData("localhost", true)]
    [InlineData("LOCALHOST\\SQLEXPRESS", true)]
    [InlineData(".", true)]
    [InlineData("(local)", true)]
    [InlineData("127.0.0.1", true)]
    [InlineData(" tcp: 127.0.0.2 , 1433", true)]
    [InlineData("::1", true)]
    [InlineData("localhost.example", false)]
    [InlineData("127.0.0.1.example", false)]
    [InlineData("10.0.0.1,127", false)]
    [InlineData("db\\localhost", false)]
    [InlineData("np:\\\\127.0.0.1\\pipe", false)]
    [InlineData("", false)]
    public void A_server_is_this_machine_only_by_a_name_that_says_so(string dataSource, bool expected) =>
        Assert.Equal(expected, SqlServerSettings.IsLoopback(dataSource));

    [Theory]
    [InlineData("Database=optiks")]
    [InlineData("Server=db.example")]
    [InlineData("Server=db.example;Database=optiks;Nonsense=1")]
    [InlineData("Server=db.example;Database=optiks;Encrypt=perhaps")]
    [InlineData("Server=db.example;Database=optiks;Connect Timeout=soon")]
    [InlineData("Server=db.example;Database=optiks;Connect Timeout=99999999999")]
    public void A_connection_string_that_cannot_be_used_is_said_so(string connectionString) =>
        Assert.Throws<StorageMisconfiguredException>(() => SqlServerSettings.Parse(connectionString, "task"));

    [Fact]
    public void No_setting_of_the_clients_own_repeats_or_shares_what_the_driver_does()
    {
        string[] strings =
        [
            .. Enumerable.Repeat(
                "Server=db.example;Database=optiks;User ID=u;Password=secret;ConnectRetryCount=3;MultipleActiveResultSets=true;Enlist=true;Persist Security Info=true;Application Name=mine", 2)
                .Select(text => SqlServerSettings.Parse(text, "task").ConnectionString),
        ];
        SqlConnectionStringBuilder[] parsed = [.. strings.Select(text => new SqlConnectionStringBuilder(text))];
        Assert.All(
            parsed,
            builder => Assert.Equal((0, false, false, false),
                (builder.ConnectRetryCount, builder.MultipleActiveResultSets, builder.Enlist, builder.PersistSecurityInfo)));
        Assert.All(parsed, builder => Assert.Equal(PoolBlockingPeriod.NeverBlock, builder.PoolBlockingPeriod));
        Assert.StartsWith("optiks-task-", parsed[0].ApplicationName, StringComparison.Ordinal);
        Assert.NotEqual(parsed[0].ApplicationName, parsed[1].ApplicationName);
        Assert.DoesNotContain("secret", SqlServerSettings.Parse(strings[0], "task").Location, StringComparison.Ordinal);
    }
}
