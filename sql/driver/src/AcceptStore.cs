using Optiks.Protocol;

namespace Optiks.Storage.Driver;

/// <summary>The update-service's view: what an engine need not do in its own way to be fast.</summary>
public abstract class AcceptStore : HeadReader, IAcceptStore
{
    /// <summary>AcceptStore of a database, which it disposes of.</summary>
    protected AcceptStore(IDatabase database)
        : base(database)
    {
    }

    /// <inheritdoc/>
    public virtual int? ConcurrentUpdates => null;

    /// <inheritdoc/>
    public abstract Task<IReadOnlyList<AcceptResult>> AcceptAsync(IReadOnlyList<AcceptUnit> units, HeadFloor floor, CancellationToken cancellationToken);

    /// <inheritdoc/>
    public virtual Task CheckWritableAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    /// <remarks>Here for engines that commit requests in the order of their numbers.</remarks>
    public virtual Task<long> CountPendingAsync(long atMost, CancellationToken cancellationToken) =>
        Database.ReadAsync((session, cancel) => session.FirstAsync(Statements.CountPending, rows => rows.Big(0), cancel, Parameter.Of("atMost", atMost)), cancellationToken);

    /// <inheritdoc/>
    public Task<RequestStatus?> ReadStatusAsync(Guid requestId, CancellationToken cancellationToken) =>
        Database.ReadAsync((session, cancel) => RequestStatusReader.ReadAsync(session, requestId, cancel), cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<ErasedVersion>> ReadReceiptAsync(ulong epoch, Guid requestId, CancellationToken cancellationToken) => Database.ReadAsync(
        (session, cancel) => session.ListAsync(
            Statements.Receipt,
            rows => new ErasedVersion((StructureId)rows.Small(0), rows.Natural(1), rows.Natural(2), rows.Natural(3)),
            cancel,
            Parameter.Of("epoch", epoch),
            Parameter.Of("id", requestId)),
        cancellationToken);

    /// <summary>The answer where nothing stands against any of the units.</summary>
    protected static AcceptResult[] Accepted(int units)
    {
        var accepted = new AcceptResult[units];
        Array.Fill(accepted, new AcceptResult(AcceptStatus.Accepted));
        return accepted;
    }
}
