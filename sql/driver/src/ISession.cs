namespace Optiks.Storage.Driver;

/// <summary>A connection with the transaction that its statements belong to, if any. One call at a time; not thread-safe.</summary>
public interface ISession
{
    /// <summary>Database of the session.</summary>
    IDatabase Database { get; }

    /// <summary>Runs a statement and returns how many rows it changed: at least 1 for a statement that returns a row instead.</summary>
    Task<int> ChangeAsync(Sql sql, CancellationToken cancellationToken, params Parameter[] parameters);

    /// <summary>Runs a query.</summary>
    Task<IRows> QueryAsync(Sql sql, CancellationToken cancellationToken, params Parameter[] parameters);

    /// <summary>Adds rows to a table in bulk; <paramref name="write"/> gives the cells of row 0, 1 and so on. Rows are in the order of the table's primary key.</summary>
    Task CopyAsync(Table table, int rows, Action<IRowWriter, int> write, CancellationToken cancellationToken);

    /// <summary>Shows the selection the pending rows that it was not shown yet, in order of acceptance, until it is full.</summary>
    Task ReadPendingAsync(PendingSelection selection, CancellationToken cancellationToken);

    /// <summary>
    /// Inserts the epoch's row, deletes the pending rows of the outcomes, row by row by exactly the keys that were read (a range would take along what was accepted since), and moves the
    /// head, in as few round trips as the engine can. Returns how many rows each changed.
    /// </summary>
    Task<(int Epochs, int Pending, int Heads)> FinishEpochAsync(Parameter[] epoch, IReadOnlyList<Outcome> outcomes, Parameter[] head, CancellationToken cancellationToken);

    /// <summary>
    /// Finds requests by their ids, adds those that are not there under new numbers, and returns all as they are stored. Nobody else adds any until the transaction's end.
    /// </summary>
    Task<IReadOnlyList<StoredRequest>> FindOrAddRequestsAsync(IReadOnlyDictionary<Guid, ReadOnlyMemory<byte>> bodyHashes, CancellationToken cancellationToken);

    /// <summary>Finds the requests that pending rows are to name, by their numbers; null: pending rows of this engine name none.</summary>
    Task<IReadOnlyDictionary<long, StoredRequest>?> FindRequestsAsync(long[] sequences, CancellationToken cancellationToken) => Task.FromResult<IReadOnlyDictionary<long, StoredRequest>?>(null);
}
