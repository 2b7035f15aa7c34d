using Optiks.Storage.Driver;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>
/// Gives requests their order. Whoever draws holds the row until the end of the transaction, so that one group after the other judges limits and ids by what is there, and numbers are
/// committed in their order. Group commit makes up for it: what waits comes together in the next transaction.
/// </summary>
internal static class RequestNumbers
{
    /// <summary>
    /// The part of a batch, inside a transaction, that draws <c>@count</c> numbers, from <c>@last + 1</c> on. Two statements: the row that an update gives back is, on a server of another kind that had
    /// to wait for it, the one of before the wait. Those that are not used are lost, which harms nothing.
    /// </summary>
    public const string Draw =
        """
        DECLARE @last bigint;
        UPDATE optiks.Acceptance SET LastSeq = LastSeq + @count;
        SELECT @last = LastSeq - @count FROM optiks.Acceptance;
        """;

    private static readonly Statement s_draw = new($"{Draw}\nSELECT @last");

    private static readonly Statement s_ofIds = new(
        $"SELECT r.Seq, r.RequestId, r.BodyHash FROM @list AS i JOIN optiks.Request AS r ON r.RequestId = i.RequestId {Statement.ByIndex}");

    private static readonly Statement s_ofNumbers = new(
        $"SELECT r.Seq, r.RequestId, r.BodyHash FROM @list AS s JOIN optiks.Request AS r ON r.Seq = s.Seq {Statement.ByIndex}");

    /// <summary>Draws numbers inside the connection's transaction and returns the last that was given out before: for whoever restores.</summary>
    public static async Task<long> DrawAsync(Connection connection, int count, CancellationToken cancellationToken) =>
        await connection.FirstAsync<long?>(s_draw, rows => rows.IsNull(0) ? null : rows.Big(0), cancellationToken, Parameter.Of("count", count))
            ?? throw new StorageCorruptException("The database has no row that numbers requests: restore it.");

    /// <summary>FindOrAddAsync is <see cref="ISession.FindOrAddRequestsAsync"/>.</summary>
    public static async Task<IReadOnlyList<StoredRequest>> FindOrAddAsync(
        Connection connection, IReadOnlyDictionary<Guid, ReadOnlyMemory<byte>> bodyHashes, CancellationToken cancellationToken)
    {
        // First: what is read after it is not overtaken by an accept.
        long last = await DrawAsync(connection, bodyHashes.Count, cancellationToken);
        List<StoredRequest> requests = await FindAsync(connection, s_ofIds, Lists.RequestIds, bodyHashes.Keys, cancellationToken);
        HashSet<Guid> found = [.. requests.Select(request => request.RequestId)];
        StoredRequest[] missing = [.. bodyHashes.Where(request => !found.Contains(request.Key)).Select((request, i) => new StoredRequest(last + i + 1, request.Key, request.Value))];
        await connection.CopyAsync(
            Table.Request,
            missing.Length,
            (cells, i) =>
            {
                cells.Big(missing[i].Sequence);
                cells.RequestId(missing[i].RequestId);
                cells.Octets(missing[i].BodyHash);
            },
            cancellationToken);
        return [.. requests, .. missing];
    }

    /// <summary>FindAsync is <see cref="ISession.FindRequestsAsync"/>.</summary>
    public static async Task<IReadOnlyDictionary<long, StoredRequest>?> FindAsync(Connection connection, long[] sequences, CancellationToken cancellationToken) =>
        (await FindAsync(connection, s_ofNumbers, Lists.Sequences, sequences, cancellationToken)).ToDictionary(request => request.Sequence);

    private static async Task<List<StoredRequest>> FindAsync<T>(Connection connection, Statement find, ListType<T> type, IEnumerable<T> list, CancellationToken cancellationToken)
    {
        var requests = new List<StoredRequest>();
        foreach (T[] chunk in connection.Chunks(list))
        {
            await using Rows rows = await connection.QueryAsync(find, cancellationToken, type.Parameter("@list", chunk));
            requests.AddRange(await rows.ListAsync(StoredRows.Request, cancellationToken));
        }
        return requests;
    }
}
