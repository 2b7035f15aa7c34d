using System.Data.Common;

namespace Optiks.Storage.Driver;

/// <summary>Reads what decides about a group from a batch of statements.</summary>
public static class AcceptStateReader
{
    /// <summary>
    /// Reads four results, from the first row of the first on: of <see cref="Statements.Clock"/>; of <see cref="Statements.Head"/>; the number of pending rows of keys, by their indexes in
    /// <paramref name="keys"/>, which may leave out those without any; id and body hash of the ids that are known.
    /// </summary>
    public static async Task<AcceptState> ReadAcceptStateAsync<TReader>(this DbRows<TReader> rows, IReadOnlyList<(UpdateKey Key, int Occurrences)> keys, string location, CancellationToken cancellationToken)
        where TReader : DbDataReader
    {
        ArgumentNullException.ThrowIfNull(rows);
        ArgumentNullException.ThrowIfNull(keys);
        _ = await rows.ReadAsync(cancellationToken);
        DateTimeOffset now = rows.Time(0);
        _ = await rows.Reader.NextResultAsync(cancellationToken);
        HeadRow head = await rows.ReadAsync(cancellationToken) ? StoredRows.Head(rows) : throw StoredRows.NoHead(location);
        _ = await rows.Reader.NextResultAsync(cancellationToken);
        var pending = new Dictionary<UpdateKey, int>();
        while (await rows.ReadAsync(cancellationToken))
        {
            pending.Add(keys[rows.Medium(0)].Key, checked((int)rows.Big(1)));
        }
        _ = await rows.Reader.NextResultAsync(cancellationToken);
        var known = new Dictionary<Guid, ReadOnlyMemory<byte>>();
        while (await rows.ReadAsync(cancellationToken))
        {
            // A group may name an id twice.
            known[rows.RequestId(0)] = rows.Octets(1);
        }
        return new AcceptState(now, head, pending, known);
    }
}
