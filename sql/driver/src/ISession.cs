namespace Optiks.Storage.Driver;

/// <summary>A connection with the transaction that its statements belong to, if any. Not thread-safe: one call at a time.</summary>
public interface ISession
{
    /// <summary>The session's database.</summary>
    IDatabase Database { get; }

    /// <summary>Runs a statement and returns how many rows it changed; for a statement that returns a row instead, at least 1.</summary>
    Task<int> ChangeAsync(Sql sql, CancellationToken cancellationToken, params Parameter[] parameters);

    /// <summary>Runs a query.</summary>
    Task<IRows> QueryAsync(Sql sql, CancellationToken cancellationToken, params Parameter[] parameters);

    /// <summary>
    /// Adds rows to a table in bulk; <paramref name="write"/> writes the cells of row 0, 1 and so on. Rows are in the order of the table's
    /// primary key.
    /// </summary>
    Task CopyAsync(Table table, int rows, Action<IRowWriter, int> write, CancellationToken cancellationToken);

    /// <summary>Shows the selection the pending rows that it has not seen yet, in order of acceptance, until it is full.</summary>
    Task ReadPendingAsync(PendingSelection selection, CancellationToken cancellationToken);

    /// <summary>
    /// Inserts the epoch's row, deletes the pending rows of the outcomes, and moves the head, in as few round trips as the engine can.
    /// It deletes the pending rows by the exact keys that were read, because a range would include rows that were accepted since. Returns
    /// how many rows each step changed.
    /// </summary>
    Task<(int Epochs, int Pending, int Heads)> FinishEpochAsync(Parameter[] epoch, IReadOnlyList<Outcome> outcomes, Parameter[] head, CancellationToken cancellationToken);

    /// <summary>
    /// Finds requests by their ids, adds the missing ones under new numbers, and returns all as they are stored. No other transaction adds
    /// requests until this transaction ends.
    /// </summary>
    Task<IReadOnlyList<StoredRequest>> FindOrAddRequestsAsync(IReadOnlyDictionary<Guid, ReadOnlyMemory<byte>> bodyHashes, CancellationToken cancellationToken);

    /// <summary>
    /// Finds the requests that pending rows refer to, by their numbers; returns null when the engine's pending rows do not refer to
    /// requests.
    /// </summary>
    Task<IReadOnlyDictionary<long, StoredRequest>?> FindRequestsAsync(long[] sequences, CancellationToken cancellationToken) => Task.FromResult<IReadOnlyDictionary<long, StoredRequest>?>(null);
}
