using Microsoft.Data.SqlClient;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>
/// RequestNumbers gives requests their order. Whoever draws holds the row until the end of the transaction, so that one group after the other judges limits and ids by what is there, and numbers are
/// committed in their order. Group commit makes up for it: what waits comes together in the next transaction.
/// </summary>
internal static class RequestNumbers
{
    private static readonly Statement s_draw = new(
        "SET LOCK_TIMEOUT 9000; UPDATE optiks.Acceptance SET LastSeq = LastSeq + @count OUTPUT inserted.LastSeq, SYSUTCDATETIME()");

    private static readonly Statement s_set = new("UPDATE optiks.Acceptance SET LastSeq = @last");

    /// <summary>DrawAsync draws numbers from <c>Last + 1</c> on; those that are not used are lost, which harms nothing. Says the server's time too.</summary>
    public static async Task<(long Last, DateTimeOffset Now)> DrawAsync(Connection connection, int count, CancellationToken cancellationToken)
    {
        (long, DateTimeOffset)? drawn = null;
        await foreach (SqlDataReader reader in connection.RowsAsync(s_draw, cancellationToken, Parameters.Int("@count", count)))
        {
            drawn = (reader.GetInt64(0) - count, reader.Time(1));
        }
        return drawn ?? throw new StorageCorruptException("The database has no row that numbers requests: restore it.");
    }

    /// <summary>SetAsync makes <paramref name="last"/> the last number given out: for an import.</summary>
    public static Task SetAsync(Connection connection, long last, CancellationToken cancellationToken) => connection.ExecuteAsync(s_set, cancellationToken, Parameters.Bigint("@last", last));
}
