using Npgsql;
using Optiks.Storage.Conformance;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql.Tests;

/// <summary>Tests that the server itself ends a page, so that it sends no values that the reader would drop.</summary>
public sealed class PageTests() : StorageConformance(new PostgreSqlFixture())
{
    private const int Values = 5;

    [Theory]
    [InlineData(-1, 0)]
    [InlineData(0, 1)]
    [InlineData(9, 1)]
    [InlineData(10, 2)]
    [InlineData(40, 5)]
    public async Task Rows_are_sent_until_their_values_come_to_more(int bytes, int expected)
    {
        Lease lease = await StartLogAsync();
        string[] keys = [.. Enumerable.Range(0, Values).Select(i => $"key {i}")];
        foreach (string key in keys)
        {
            _ = await AcceptOneAsync(Item(key, "ten octets"));
        }
        await PublishPendingAsync(lease, 1);
        _ = await Pipeline.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        Assert.Equal(StageResult.Staged,
            await Pipeline.StageCopiesAsync(lease, await CopiesAsync(1, 0, [.. keys.Select(key => (key, 1UL))]), Cancel));

        var statements = PostgreSqlStatements.All;
        await using var connection = (NpgsqlConnection)new PostgreSqlFixture().Connect(ConnectionString);
        await connection.OpenAsync(Cancel);
        Assert.Equal(expected, await CountAsync(statements.CopyValues.Text, 100));
        Assert.Equal(expected, await CountAsync(statements.StoredCopies.Text, 100));
        Assert.Equal(expected, await CountAsync(statements.StoredLeaves.Text, 100));
        Assert.Equal(Math.Min(expected, 3), await CountAsync(statements.CopyValues.Text, 2));
        Assert.Equal(Math.Min(expected, 3), await CountAsync(statements.StoredCopies.Text, 3));
        // The query reads only values of device lists, not values of the structure `keys`.
        Assert.Equal(bytes < 0 ? 0 : Values, await CountAsync(statements.CopiesWithLists.Text, 100));

        async Task<int> CountAsync(string sql, int max)
        {
            await using NpgsqlCommand command = connection.Command(
                sql, Commands.Bigint(1L), Commands.Integer(0), Commands.Integer(max), Commands.Bigint((long)bytes));
            await using NpgsqlDataReader rows = await command.ExecuteReaderAsync(Cancel);
            int count = 0;
            while (await rows.ReadAsync(Cancel))
            {
                Assert.Equal(
                    count++, rows.GetInt32(rows.GetOrdinal(sql.Contains("FROM leaf", StringComparison.Ordinal) ? "ordinal" : "number")));
            }
            return count;
        }
    }
}
