using Optiks.Storage.Driver;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>
/// The update-service's view. A group of which nothing is refused or known takes one round trip, its commit included. Otherwise the batch stores nothing and says what stands
/// against it; the rules of <see cref="AcceptPlan"/> are gone through here, while nothing is locked, and what they accept is one more such batch. Large groups are sent beside each other: the server takes a
/// batch's lists before the batch begins its transaction, of which one comes after the other (<see cref="RequestNumbers"/>). No group is copied in steps inside its transaction, which a client that is paused
/// would leave open.
/// </summary>
internal sealed class SqlServerAcceptStore : AcceptStore
{
    // Each try but the first fails only if others were accepted between two statements whose keys or ids are these.
    private const int MaxTries = 10;

    // From so many on the lists are most of what a group costs.
    private const int ConcurrentItems = 512;

    private readonly Database _database;

    public SqlServerAcceptStore(Database database)
        : base(database) => _database = database;

    /// <inheritdoc/>
    public override int? ConcurrentUpdates => ConcurrentItems;

    /// <inheritdoc/>
    public override Task<IReadOnlyList<AcceptResult>> AcceptAsync(IReadOnlyList<AcceptUnit> units, HeadFloor floor, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(floor);
        // The caller's errors are found before a connection is taken.
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
                throw new StorageUnavailableException($"Other services' updates of the same keys came before these ones {MaxTries} times.");
            }
            var plan = new AcceptPlan(units, floor);
            decided = plan.Decide(state);
            state = plan.NewRequests.Count > 0 ? await AcceptBatch.StoreAsync(connection, new AcceptGroup(plan.NewRequests), floor, cancellationToken) : null;
            if (state is not null)
            {
                // It is about those that were to be stored alone.
                state = await AcceptBatch.ReadStateAsync(connection, all, cancellationToken);
            }
        }
        return decided;
    }
}
