using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>Implements the update-service's store. Storing a group without refused or known requests takes one round trip, including the
/// commit.</summary>
/// <remarks>
/// If the group has refused or known requests, the batch stores nothing and returns the state of the database that shows this. This class
/// then applies the rules of <see cref="AcceptPlan"/>, without holding a lock, and sends the accepted requests in a second batch. Several
/// large groups can be sent at the same time. The server receives a batch's lists before the batch begins its transaction, and transactions
/// run one after another (<see cref="RequestNumbers"/>). No group is copied in steps inside its transaction, because a paused client would
/// leave the transaction open.
/// </remarks>
internal sealed class SqlServerAcceptStore : AcceptStore
{
    // The largest number of attempts to store a group. After the first, an attempt fails only if another group with the same keys or ids
    // was accepted after the previous attempt.
    private const int MaxTries = 10;

    // The number of items from which on a group's largest cost is the transfer of its lists, so that sending groups at the same time saves
    // time.
    private const int ConcurrentItems = 512;

    private readonly Database _database;

    public SqlServerAcceptStore(Database database)
        : base(database) => _database = database;

    /// <inheritdoc/>
    public override int? ConcurrentUpdates => ConcurrentItems;

    /// <inheritdoc/>
    public override Task<IReadOnlyList<AcceptResult>> AcceptAsync(
        IReadOnlyList<AcceptUnit> units, HeadFloor floor, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(floor);
        // Invalid units throw here, before this method takes a connection from the pool.
        AcceptPlan.ThrowIfInvalid(units);
        AcceptRequest[] requests = [.. units.SelectMany(unit => unit.Requests)];
        return _database.RepeatAsync(
            async (connection, cancel) => requests.Length > 0
                ? await StoreAsync(connection, units, new AcceptGroup(requests), floor, cancel)
                : new AcceptPlan(units, floor).Decide(new AcceptState(default, await connection.ReadHeadAsync(cancel), [], [])),
            cancellationToken);
    }

    private static async Task<IReadOnlyList<AcceptResult>> StoreAsync(
        Connection connection, IReadOnlyList<AcceptUnit> units, AcceptGroup all, HeadFloor floor, CancellationToken cancellationToken)
    {
        IReadOnlyList<AcceptResult> decided = Accepted(units.Count);
        AcceptState? state = all.IsPlain
            ? await AcceptBatch.StoreAsync(connection, all, floor, cancellationToken)
            : await AcceptBatch.ReadStateAsync(connection, all, cancellationToken);
        for (int i = 0; state is not null; i++)
        {
            if (i == MaxTries)
            {
                throw new StorageUnavailableException(
                    $"Other services' updates of the same keys came before these updates {MaxTries} times.");
            }
            var plan = new AcceptPlan(units, floor);
            decided = plan.Decide(state);
            state = plan.NewRequests.Count > 0
                ? await AcceptBatch.StoreAsync(connection, new AcceptGroup(plan.NewRequests), floor, cancellationToken)
                : null;
            if (state is not null)
            {
                // The returned state is only about the requests that this attempt tried to store, so this code reads the state for the
                // whole group again.
                state = await AcceptBatch.ReadStateAsync(connection, all, cancellationToken);
            }
        }
        return decided;
    }
}
