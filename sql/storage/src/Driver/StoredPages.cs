using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>Reads stored leaves and copies unchanged and in order, one page at a time.</summary>
internal static class StoredPages
{
    /// <summary>
    /// The limit for the sum of the bytes of a page's values; the page ends with the value that exceeds it. Most engines' statements
    /// already end the result at this limit, so that the server sends no further values.
    /// </summary>
    public const long MaxValueBytes = 16L << 20;

    /// <summary>Implements <see cref="ConsistentRead.ReadLeavesAsync"/>.</summary>
    public static Task<IReadOnlyList<StoredLeaf>> ReadStoredLeavesAsync(
        this ISession session, ulong epoch, int ordinal, int max, CancellationToken cancellationToken) => PageAsync(
        session,
        session.Database.Statements.StoredLeaves,
        rows => new StoredLeaf(
            rows.GetUInt64(0), rows.GetInt32(1), (StructureId)rows.GetInt16(2), rows.GetUInt64(3), rows.GetUInt64(4), rows.GetBytes(5),
            rows.GetBytes(6), rows.GetBytes(7),
            new LeafOrigin(rows.GetRequestId(8), rows.GetInt16(9)), Value(rows, 10)),
        leaf => leaf.Value,
        [Parameter.Create("epoch", epoch), Parameter.Create("ordinal", ordinal)],
        max,
        cancellationToken);

    /// <summary>Implements <see cref="ConsistentRead.ReadCopiesAsync"/>.</summary>
    public static Task<IReadOnlyList<StoredCopy>> ReadStoredCopiesAsync(
        this ISession session, ulong period, int number, int max, CancellationToken cancellationToken) => PageAsync(
        session,
        session.Database.Statements.StoredCopies,
        rows => new StoredCopy(
            rows.GetUInt64(0), rows.GetInt32(1), (StructureId)rows.GetInt16(2), CopyReader.Source(rows, 3), rows.GetBytes(6),
            rows.GetBytes(7), rows.GetBytes(8), Value(rows, 9)),
        copy => copy.Value,
        [Parameter.Create("period", period), Parameter.Create("number", number)],
        max,
        cancellationToken);

    private static StoredValue? Value(IRows rows, int opening) =>
        rows.IsNull(opening) ? null : new StoredValue(rows.GetBytes(opening), rows.GetBytes(opening + 1), rows.GetBytes(opening + 2));

    private static async Task<IReadOnlyList<T>> PageAsync<T>(
        ISession session, Sql sql, Func<IRows, T> read, Func<T, StoredValue?> value, Parameter[] from, int max,
        CancellationToken cancellationToken)
    {
        await using IRows rows = await session.QueryAsync(
            sql, cancellationToken, [.. from, Parameter.Create("max", max), Parameter.Create("bytes", MaxValueBytes)]);
        var page = new List<T>();
        for (long octets = 0; octets <= MaxValueBytes
            && await rows.ReadAsync(cancellationToken); octets += value(page[^1])?.Value.Length ?? 0)
        {
            page.Add(read(rows));
        }
        return page;
    }
}
