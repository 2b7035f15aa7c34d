namespace Optiks.Storage;

/// <summary>A connection, with the transaction to which its statements belong, if there is one. Not thread-safe: one call at a
/// time.</summary>
public interface ISession
{
    /// <summary>The database to which the session is connected.</summary>
    IDatabase Database { get; }

    /// <summary>Runs a statement and returns the number of rows that it changed. If the statement returns a row instead of changing one,
    /// the result is at least 1.</summary>
    Task<int> ChangeAsync(Sql sql, CancellationToken cancellationToken, params Parameter[] parameters);

    /// <summary>Runs a query and returns its rows.</summary>
    Task<IRows> QueryAsync(Sql sql, CancellationToken cancellationToken, params Parameter[] parameters);

    /// <summary>
    /// Adds rows to a table in bulk. Calls the function <paramref name="write"/> for each row, numbered from 0, to write the row's cells.
    /// The rows must be in the order of the table's primary key.
    /// </summary>
    Task CopyAsync(Table table, int rows, Action<IRowWriter, int> write, CancellationToken cancellationToken);

    /// <summary>Passes to the selection, in order of acceptance, the pending rows that it has not seen yet, until the selection is
    /// full.</summary>
    Task ReadPendingAsync(PendingSelection selection, CancellationToken cancellationToken);

    /// <summary>
    /// Inserts the epoch's row, deletes the pending rows that the outcomes name, and moves the head row to the epoch, in as few round trips
    /// as the engine allows. It deletes the pending rows by their exact primary keys, because a range would include rows that were accepted
    /// after the selection was read. Returns how many rows each of the three steps changed.
    /// </summary>
    Task<(int Epochs, int Pending, int Heads)> FinishEpochAsync(
        Parameter[] epoch, IReadOnlyList<Outcome> outcomes, Parameter[] head, CancellationToken cancellationToken);

    /// <summary>
    /// Finds requests by their ids, adds the missing requests under new sequence numbers, and returns all of them as they are stored. No
    /// other transaction adds requests until this transaction ends.
    /// </summary>
    Task<IReadOnlyList<StoredRequest>> FindOrAddRequestsAsync(
        IReadOnlyDictionary<Guid, ReadOnlyMemory<byte>> bodyHashes, CancellationToken cancellationToken);

    /// <summary>
    /// Finds requests by their sequence numbers, for pending rows that must repeat the id and hash of their requests. Returns null if the
    /// engine's pending rows do not repeat them.
    /// </summary>
    Task<IReadOnlyDictionary<long, StoredRequest>?> FindRequestsAsync(long[] sequences, CancellationToken cancellationToken) =>
        Task.FromResult<IReadOnlyDictionary<long, StoredRequest>?>(null);
}
