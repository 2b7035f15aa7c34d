using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>
/// RequestNumbers gives requests their order. Whoever draws holds the row until the end of the transaction, so that one group after the other judges limits and ids by what is there, and numbers are
/// committed in their order. Group commit makes up for it: what waits comes together in the next transaction.
/// </summary>
internal static class RequestNumbers
{
    /// <summary>
    /// Draw is the part of a batch, inside a transaction, that draws <c>@count</c> numbers, from <c>@last + 1</c> on. Two statements: the row that an update gives back is, on a server of another kind that had
    /// to wait for it, the one of before the wait. Those that are not used are lost, which harms nothing.
    /// </summary>
    public const string Draw =
        """
        DECLARE @last bigint;
        UPDATE optiks.Acceptance SET LastSeq = LastSeq + @count;
        SELECT @last = LastSeq - @count FROM optiks.Acceptance;
        """;

    private static readonly Statement s_draw = new($"{Draw}\nSELECT @last");

    private static readonly Statement s_set = new("UPDATE optiks.Acceptance SET LastSeq = @last");

    /// <summary>DrawAsync draws numbers inside the connection's transaction and returns the last that was given out before: for whoever restores.</summary>
    public static async Task<long> DrawAsync(Connection connection, int count, CancellationToken cancellationToken) =>
        await connection.ScalarAsync(s_draw, cancellationToken, Parameters.Int("@count", count)) is long last
            ? last
            : throw new StorageCorruptException("The database has no row that numbers requests: restore it.");

    /// <summary>SetAsync makes <paramref name="last"/> the last number given out: for an import.</summary>
    public static Task SetAsync(Connection connection, long last, CancellationToken cancellationToken) => connection.ExecuteAsync(s_set, cancellationToken, Parameters.Bigint("@last", last));
}
