namespace Optiks.Storage;

/// <summary>Reads from the database everything that an epoch's transaction wrote.</summary>
internal static class EpochReader
{
    /// <summary>Returns whether an epoch is stored with exactly this record.</summary>
    public static Task<bool> HasEpochAsync(ISession session, EpochRow epoch, CancellationToken cancellationToken) =>
        session.FirstAsync(session.Database.Statements.HasEpoch, _ => true, cancellationToken, Parameter.Create("epoch", epoch.Epoch),
            Parameter.Create("hash", epoch.RecordHash));

    /// <summary>Reads a committed epoch with all its rows.</summary>
    public static async Task<EpochContent> ReadAsync(ISession session, ulong epoch, CancellationToken cancellationToken)
    {
        EpochRow row = await session.FirstAsync(
            session.Database.Statements.Epochs, StoredRows.Epoch, cancellationToken, Parameter.Create("first", epoch),
            Parameter.Create("last", epoch), Parameter.Create("max", 1))
            ?? throw new StorageCorruptException(
                $"The database {session.Database.Location} lacks epoch {epoch}, which its head names: restore it.");
        LeafBatch leaves = (await session.ReadLeavesAsync(epoch, epoch, batchRows: 1, LeafColumns.All, cancellationToken)).Batch;
        IReadOnlyList<(long Sequence, byte[] BodyHash)?> requests = await session.ListAsync<(long, byte[])?>(
            session.Database.Statements.PublishedRequests, rows => rows.IsNull(0) ? null : (rows.GetInt64(0), rows.GetBytes(1)),
            cancellationToken, Parameter.Create("epoch", epoch));
        var outcomes = new List<Outcome>();
        for (int i = 0; i < leaves.Origins.Length; i++)
        {
            if (leaves.Origins.Span[i] == LeafOrigin.Padding)
            {
                continue;
            }
            (long sequence, byte[] bodyHash) = (i < requests.Count ? requests[i] : null)
                ?? throw new StorageCorruptException(
                    $"The database {session.Database.Location} lacks a request of the unpublished epoch {epoch}: restore it.");
            LeafOrigin origin = leaves.Origins.Span[i];
            outcomes.Add(new Outcome(origin.RequestId, sequence, origin.Item, new ItemResult.Leaf(i)) { BodyHash = bodyHash });
        }
        outcomes.AddRange(await session.ListAsync(
            session.Database.Statements.ItemsWithoutLeaves,
            rows => new Outcome(rows.GetRequestId(6), rows.GetInt64(0), rows.GetInt16(1),
                new ResultColumns(null, StoredRows.Refusal(rows, 2)).ToResult()!)
            {
                BodyHash = rows.GetBytes(7),
            },
            cancellationToken,
            Parameter.Create("epoch", epoch)));
        IReadOnlyList<StoredErasure> erasures = await ErasureReader.ReadAsync(session, epoch, epoch, cancellationToken);
        // Period 0 begins without copies, so its first epoch, epoch 0, is not a switch.
        PeriodRow? begun = epoch == 0
            ? null
            : (await session.ListAsync(session.Database.Statements.Periods, StoredRows.Period, cancellationToken)).FirstOrDefault(period =>
                period.FirstEpoch == epoch);
        return new EpochContent(row, leaves, outcomes)
        {
            Erasures = [.. erasures.Select(row => row.Erasure)],
            Switch = begun is null ? null : new PeriodSwitch(begun.Period, begun.Copies.GetValueOrDefault()),
        };
    }
}
