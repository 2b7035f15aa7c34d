using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>Implements the operations of the update-service's role that all engines share. These operations are fast without
/// engine-specific code.</summary>
public abstract class AcceptStore : HeadReader, IAcceptStore
{
    /// <summary>Creates a store on a database. The store later disposes of the database object.</summary>
    protected AcceptStore(IDatabase database)
        : base(database)
    {
    }

    /// <inheritdoc/>
    public virtual int? ConcurrentUpdates => null;

    /// <inheritdoc/>
    public abstract Task<IReadOnlyList<AcceptResult>> AcceptAsync(
        IReadOnlyList<AcceptUnit> units, HeadFloor floor, CancellationToken cancellationToken);

    /// <inheritdoc/>
    public virtual Task CheckWritableAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    /// <remarks>This implementation is correct only for engines that commit requests in the order of their sequence numbers.</remarks>
    public virtual Task<long> CountPendingAsync(long atMost, CancellationToken cancellationToken) =>
        Database.ReadAsync(
            (session, cancel) => session.FirstAsync(
                Statements.CountPending, rows => rows.GetInt64(0), cancel, Parameter.Create("atMost", atMost)), cancellationToken);

    /// <inheritdoc/>
    public Task<RequestStatus?> ReadStatusAsync(Guid requestId, CancellationToken cancellationToken) =>
        Database.ReadAsync((session, cancel) => RequestStatusReader.ReadAsync(session, requestId, cancel), cancellationToken);

    /// <inheritdoc/>
    public Task<IReadOnlyList<ErasedVersion>> ReadReceiptAsync(ulong epoch, Guid requestId, CancellationToken cancellationToken) =>
        Database.ReadAsync(
        (session, cancel) => session.ListAsync(
            Statements.Receipt,
            rows => new ErasedVersion((StructureId)rows.GetInt16(0), rows.GetUInt64(1), rows.GetUInt64(2), rows.GetUInt64(3)),
            cancel,
            Parameter.Create("epoch", epoch),
            Parameter.Create("id", requestId)),
        cancellationToken);

    /// <summary>Returns a list with the given number of results, each of which is <see cref="AcceptStatus.Accepted"/>.</summary>
    protected static AcceptResult[] Accepted(int units)
    {
        var accepted = new AcceptResult[units];
        Array.Fill(accepted, new AcceptResult(AcceptStatus.Accepted));
        return accepted;
    }
}
