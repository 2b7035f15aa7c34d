using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>
/// Numbers requests in the order of their acceptance. A transaction that draws numbers locks the row of numbers until the transaction ends.
/// So groups of requests check limits and ids one after another against the stored rows, and transactions commit in the order of their
/// numbers. Group commit makes up for the wait, because waiting requests share the next transaction.
/// </summary>
internal static class RequestNumbers
{
    /// <summary>
    /// The part of a batch that draws <c>@count</c> numbers, beginning with <c>@last + 1</c>, inside the batch's transaction. It needs two
    /// statements: on other servers of the protocol, an update that had to wait for the row returns the row as it was before the wait.
    /// Numbers that the batch does not use are never assigned, which does no harm.
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

    /// <summary>
    /// Draws numbers inside the connection's transaction, for a restore or an import, and returns the last number that was assigned before
    /// these.
    /// </summary>
    public static async Task<long> DrawAsync(Connection connection, int count, CancellationToken cancellationToken) =>
        await connection.FirstAsync<long?>(
            s_draw, rows => rows.IsNull(0) ? null : rows.GetInt64(0), cancellationToken, Parameter.Create("count", count))
            ?? throw new StorageCorruptException("The database has no row that numbers requests: restore it.");

    /// <summary>Implements <see cref="ISession.FindOrAddRequestsAsync"/>.</summary>
    public static async Task<IReadOnlyList<StoredRequest>> FindOrAddAsync(
        Connection connection, IReadOnlyDictionary<Guid, ReadOnlyMemory<byte>> bodyHashes, CancellationToken cancellationToken)
    {
        // This code draws the numbers first, so that no other transaction can add requests between the reads below and the end of this
        // transaction.
        long last = await DrawAsync(connection, bodyHashes.Count, cancellationToken);
        List<StoredRequest> requests = await FindAsync(connection, s_ofIds, Lists.RequestIds, bodyHashes.Keys, cancellationToken);
        HashSet<Guid> found = [.. requests.Select(request => request.RequestId)];
        StoredRequest[] missing =
            [.. bodyHashes.Where(request => !found.Contains(request.Key))
                .Select((request, i) => new StoredRequest(last + i + 1, request.Key, request.Value))];
        await connection.CopyAsync(
            Table.Request,
            missing.Length,
            (cells, i) =>
            {
                cells.WriteInt64(missing[i].Sequence);
                cells.WriteRequestId(missing[i].RequestId);
                cells.WriteBytes(missing[i].BodyHash);
            },
            cancellationToken);
        return [.. requests, .. missing];
    }

    /// <summary>Implements <see cref="ISession.FindRequestsAsync"/>.</summary>
    public static async Task<IReadOnlyDictionary<long, StoredRequest>?> FindAsync(
        Connection connection, long[] sequences, CancellationToken cancellationToken) =>
        (await FindAsync(connection, s_ofNumbers, Lists.Sequences, sequences, cancellationToken)).ToDictionary(request => request.Sequence);

    private static async Task<List<StoredRequest>> FindAsync<T>(
        Connection connection, Statement find, ListType<T> type, IEnumerable<T> list, CancellationToken cancellationToken)
    {
        var requests = new List<StoredRequest>();
        foreach (T[] chunk in connection.Chunks(list))
        {
            await using Rows rows = await connection.QueryAsync(find, cancellationToken, type.Parameter("@list", chunk));
            requests.AddRange(await rows.ListAsync(StoredRows.ReadRequest, cancellationToken));
        }
        return requests;
    }
}
