using Npgsql;

namespace Optiks.Storage.PostgreSql.Tests;

/// <summary>Tests how the driver changes a connection string, without a server.</summary>
public sealed class ConnectionStringTests
{
    [Theory]
    [InlineData("postgresql://user:s3cret@db/optiks?sslmode=require")]
    [InlineData("Host=db;Database=optiks;Password=s3c;ret=x")]
    [InlineData("Host=db;Database=optiks;Pasword=s3cret")]
    [InlineData("Host=db;Database=optiks;s3cret=1")]
    [InlineData("Host=db;Database=optiks;Port=s3cret")]
    [InlineData("s3cret")]
    public void Nothing_of_a_string_that_is_none_is_said(string connectionString)
    {
        StorageMisconfiguredException e =
            Assert.Throws<StorageMisconfiguredException>(() => PostgreSqlSettings.Parse(connectionString, "task"));
        Assert.DoesNotContain("s3c", e.ToString(), StringComparison.Ordinal);
        Assert.Null(e.InnerException);
    }

    [Theory]
    [InlineData("Host=db.example;SSL Mode=Disable")]
    [InlineData("Host=db.example;SSL Mode=Allow")]
    [InlineData("Host=db.example;SSL Mode=Prefer")]
    [InlineData("Host=db.example;SSL Mode=Require")]
    [InlineData("Host=127.0.0.1,db.example;SSL Mode=Disable")]
    [InlineData("Host=localhost.example;SSL Mode=Prefer")]
    [InlineData("Host=10.0.0.7:5433;SslMode=Disable")]
    public void A_connection_to_another_machine_that_could_be_read_is_refused(string connectionString) => Assert.Contains(
        "must be encrypted",
        Assert.Throws<StorageMisconfiguredException>(() => PostgreSqlSettings.Parse($"{connectionString};Database=optiks", "task")).Message,
        StringComparison.Ordinal);

    [Theory]
    [InlineData("Host=db.example", SslMode.VerifyFull)]
    [InlineData("Host=127.0.0.1,db.example", SslMode.VerifyFull)]
    [InlineData("Host=db.example;SSL Mode=VerifyCA", SslMode.VerifyCA)]
    [InlineData("Host=db.example;SSL Mode=VerifyFull", SslMode.VerifyFull)]
    [InlineData("Host=127.0.0.1", SslMode.Prefer)]
    [InlineData("Host=127.0.0.1:5433,[::1]:5433,::1,LOCALHOST", SslMode.Prefer)]
    [InlineData("Host=/var/run/postgresql", SslMode.Prefer)]
    [InlineData("Host=127.0.0.1;SSL Mode=Disable", SslMode.Disable)]
    public void Another_machine_is_talked_to_encrypted_and_verified_and_loopback_as_the_operator_says(
        string connectionString, SslMode expected) =>
        Assert.Equal(expected, PostgreSqlSettings.Parse($"{connectionString};Database=optiks", "task").SslMode);
}
