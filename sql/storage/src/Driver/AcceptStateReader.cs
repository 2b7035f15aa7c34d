using System.Data.Common;

namespace Optiks.Storage;

/// <summary>Reads the <see cref="AcceptState"/>, on which the decision about a group of units depends, from the results of a batch of
/// statements.</summary>
public static class AcceptStateReader
{
    /// <summary>
    /// Reads four results, of which no row has been read yet: the result of <see cref="Statements.Clock"/>; the result of
    /// <see cref="Statements.Head"/>; rows with the index of a key in the list <paramref name="keys"/> and the key's number of pending
    /// rows, where keys without pending rows may be missing; and rows with the id and body hash of each request that the database knows.
    /// </summary>
    public static async Task<AcceptState> ReadAcceptStateAsync<TReader>(this DbRows<TReader> rows,
        IReadOnlyList<(UpdateKey Key, int Occurrences)> keys, string location, CancellationToken cancellationToken)
        where TReader : DbDataReader
    {
        ArgumentNullException.ThrowIfNull(rows);
        ArgumentNullException.ThrowIfNull(keys);
        _ = await rows.ReadAsync(cancellationToken);
        DateTimeOffset now = rows.GetTime(0);
        _ = await rows.Reader.NextResultAsync(cancellationToken);
        HeadRow head = await rows.ReadAsync(cancellationToken) ? StoredRows.ReadHead(rows) : throw StoredRows.NoHead(location);
        _ = await rows.Reader.NextResultAsync(cancellationToken);
        var pending = new Dictionary<UpdateKey, int>();
        while (await rows.ReadAsync(cancellationToken))
        {
            pending.Add(keys[rows.GetInt32(0)].Key, checked((int)rows.GetInt64(1)));
        }
        _ = await rows.Reader.NextResultAsync(cancellationToken);
        var known = new Dictionary<Guid, ReadOnlyMemory<byte>>();
        while (await rows.ReadAsync(cancellationToken))
        {
            // An id that occurs twice in the group has two rows here, so this code does not use Add, which would throw.
            known[rows.GetRequestId(0)] = rows.GetBytes(1);
        }
        return new AcceptState(now, head, pending, known);
    }
}
