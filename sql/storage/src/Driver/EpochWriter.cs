namespace Optiks.Storage;

/// <summary>
/// Writes an epoch inside the caller's transaction. If a method returns false because a condition does not hold, the caller rolls the
/// transaction back.
/// </summary>
internal static class EpochWriter
{
    /// <summary>Writes epoch 0 into a database without epochs.</summary>
    public static async Task<bool> TryWriteGenesisAsync(
        ISession session, Lease lease, EpochRow genesis, PeriodRow period, CancellationToken cancellationToken)
    {
        int moved = await session.ChangeAsync(
            session.Database.Statements.MoveHeadToGenesis, cancellationToken, Parameter.Create("hash", genesis.RecordHash),
            Parameter.Create("fence", lease.Fence), Parameter.Create("holder", lease.Holder));
        if (moved != 1)
        {
            return false;
        }
        return await PeriodWriter.InsertAsync(session, period, cancellationToken) == 1
            && await session.ChangeAsync(
                session.Database.Statements.InsertEpoch, cancellationToken, EpochParameters(genesis, leaves: 0, valueBytes: 0)) == 1;
    }

    /// <summary>Writes an epoch and deletes the pending rows that it decides.</summary>
    public static async Task<bool> TryWriteAsync(ISession session, Lease lease, EpochCommit commit, CancellationToken cancellationToken) =>
        await FollowsHeadAsync(session, lease, commit, cancellationToken)
        && await WriteAsync(session, lease, commit, InKeyOrder(commit.Outcomes), restores: false, cancellationToken)
            == commit.Outcomes.Count;

    /// <summary>
    /// Writes an epoch that a newer copy of the database had committed. Finds the epoch's requests by their ids, and works even if this
    /// database lacks their pending rows.
    /// </summary>
    public static async Task<bool> TryRestoreAsync(ISession session, Lease lease, EpochCommit commit, CancellationToken cancellationToken)
    {
        if (!await FollowsHeadAsync(session, lease, commit, cancellationToken))
        {
            return false;
        }
        var bodyHashes = new Dictionary<Guid, ReadOnlyMemory<byte>>();
        foreach (Outcome outcome in commit.Outcomes)
        {
            bodyHashes[outcome.RequestId] = outcome.BodyHash;
        }
        var sequences = new Dictionary<Guid, long>();
        foreach (StoredRequest request in await session.FindOrAddRequestsAsync(bodyHashes, cancellationToken))
        {
            if (!request.BodyHash.Span.SequenceEqual(bodyHashes[request.RequestId].Span))
            {
                throw new StorageCorruptException(
                    $"The request {request.RequestId} of epoch {commit.Epoch.Epoch} has other content in the database than what was published: nothing of that epoch was written.");
            }
            sequences.Add(request.RequestId, request.Sequence);
        }
        Outcome[] outcomes = [.. commit.Outcomes.Select(outcome => outcome with { Sequence = sequences[outcome.RequestId] })];
        return await WriteAsync(session, lease, commit, InKeyOrder(outcomes), restores: true, cancellationToken) is not null;
    }

    // This check only saves work: a holder that has lost the lease stops before it writes perhaps a hundred thousand rows. The update of
    // the head row at the end of the transaction is what ensures that the holder still has the lease.
    private static async Task<bool> FollowsHeadAsync(
        ISession session, Lease lease, EpochCommit commit, CancellationToken cancellationToken) =>
        await session.FirstAsync(session.Database.Statements.FollowsHead, _ => true, cancellationToken, HeadParameters(lease, commit));

    // Returns the number of deleted pending rows. Returns null when the head row has changed, when the epoch's row already existed, when a
    // value to erase was missing, or when the epoch's new period cannot begin.
    private static async Task<int?> WriteAsync(
        ISession session, Lease lease, EpochCommit commit, IReadOnlyList<Outcome> outcomes, bool restores,
        CancellationToken cancellationToken)
    {
        long valueBytes = await session.CopyLeavesAsync(commit, cancellationToken);
        await session.CopyOutcomesAsync(commit.Epoch.Epoch, outcomes, cancellationToken);
        if (!await ErasureWriter.TryWriteAsync(session, lease, commit, restores, cancellationToken))
        {
            return null;
        }
        if (commit.Switch is { } begun && !await PeriodWriter.TrySwitchAsync(session, lease, begun, commit.Epoch.Epoch, cancellationToken))
        {
            return null;
        }
        (int epochs, int pending, int heads) = await session.FinishEpochAsync(
            EpochParameters(commit.Epoch, commit.Leaves.Rows.Length, valueBytes),
            outcomes,
            [.. HeadParameters(lease, commit), Parameter.Create("hash", commit.Epoch.RecordHash)],
            cancellationToken);
        return epochs == 1 && heads == 1 ? pending : null;
    }

    private static Parameter[] HeadParameters(Lease lease, EpochCommit commit) =>
    [
        Parameter.Create("epoch", commit.Epoch.Epoch),
        Parameter.Create("previous", commit.PreviousHash),
        Parameter.Create("fence", lease.Fence),
        Parameter.Create("holder", lease.Holder),
    ];

    private static Parameter[] EpochParameters(EpochRow epoch, int leaves, long valueBytes) =>
    [
        Parameter.Create("epoch", epoch.Epoch),
        Parameter.Create("leaves", (long)leaves),
        Parameter.Create("valueBytes", valueBytes),
        Parameter.Create("hash", epoch.RecordHash),
        Parameter.Create("record", epoch.Record),
    ];

    // Returns the outcomes in the order of their table's primary key. The update-task already provides them in this order, but other
    // callers may not.
    private static IReadOnlyList<Outcome> InKeyOrder(IReadOnlyList<Outcome> outcomes)
    {
        for (int i = 1; i < outcomes.Count; i++)
        {
            if ((outcomes[i - 1].Sequence, outcomes[i - 1].Item).CompareTo((outcomes[i].Sequence, outcomes[i].Item)) > 0)
            {
                return [.. outcomes.OrderBy(outcome => outcome.Sequence).ThenBy(outcome => outcome.Item)];
            }
        }
        return outcomes;
    }
}
