using Optiks.Native;
using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite;

/// <summary>EpochWriter writes an epoch inside a transaction. False: a condition does not hold, and the caller takes everything back.</summary>
internal static class EpochWriter
{
    /// <summary>TryWriteGenesis writes epoch 0 into a database without epochs.</summary>
    public static bool TryWriteGenesis(Connection connection, Lease lease, EpochRow genesis, PeriodRow period)
    {
        using (Statement head = connection.Prepare("UPDATE head SET epoch = 0, record_hash = ? WHERE epoch IS NULL AND fence = ? AND holder = ?"))
        {
            if (head.Bind(1, genesis.RecordHash.Span).Bind(2, lease.Fence).Bind(3, lease.Holder).Execute() != 1)
            {
                return false;
            }
        }
        using (Statement insert = connection.Prepare("INSERT INTO period (period, first_epoch, wrapped_secrets, configuration) VALUES (?, ?, ?, ?)"))
        {
            insert.Bind(1, period.Period).Bind(2, period.FirstEpoch).Bind(3, period.WrappedSecrets.Span).Bind(4, period.Configuration.Span).Execute();
        }
        InsertEpoch(connection, genesis, leaves: 0, valueBytes: 0);
        return true;
    }

    /// <summary>TryWrite writes an epoch and removes the pending rows that it decides.</summary>
    public static bool TryWrite(Connection connection, Lease lease, EpochCommit commit)
    {
        // The write lock is held from the beginning, so that what holds here holds at the commit: the head's update can come first, and a
        // holder that was fenced out learns it before it writes a hundred thousand rows.
        if (!TryMoveHead(connection, lease, commit) || !TryDeletePending(connection, commit.Outcomes))
        {
            return false;
        }
        long valueBytes = InsertLeaves(connection, commit);
        InsertEpoch(connection, commit.Epoch, commit.Leaves.Rows.Length, valueBytes);
        InsertOutcomes(connection, commit);
        return true;
    }

    /// <summary>TryRestore writes an epoch of a newer copy: its requests are found by id, and its pending rows need not be here.</summary>
    public static bool TryRestore(Connection connection, Lease lease, EpochCommit commit)
    {
        if (!TryMoveHead(connection, lease, commit))
        {
            return false;
        }
        var sequences = new Dictionary<Guid, long>();
        var outcomes = new List<Outcome>(commit.Outcomes.Count);
        using Statement delete = connection.Prepare("DELETE FROM pending WHERE id = ?");
        foreach (Outcome outcome in commit.Outcomes)
        {
            if (!sequences.TryGetValue(outcome.RequestId, out long sequence))
            {
                sequence = FindOrAddRequest(connection, outcome, commit.Epoch.Epoch);
                sequences.Add(outcome.RequestId, sequence);
            }
            _ = delete.Bind(1, RowIds.Item(sequence, outcome.Item)).Execute();
            outcomes.Add(outcome with { Sequence = sequence });
        }
        outcomes.Sort((a, b) => a.Sequence != b.Sequence ? a.Sequence.CompareTo(b.Sequence) : a.Item.CompareTo(b.Item));
        EpochCommit here = commit with { Outcomes = outcomes };
        long valueBytes = InsertLeaves(connection, here);
        InsertEpoch(connection, here.Epoch, here.Leaves.Rows.Length, valueBytes);
        InsertOutcomes(connection, here);
        return true;
    }

    private static long FindOrAddRequest(Connection connection, Outcome outcome, ulong epoch)
    {
        using (Statement select = connection.Prepare("SELECT seq, body_hash FROM request WHERE request_id = ?"))
        {
            if (select.Bind(1, outcome.RequestId).Step())
            {
                return select.Span(1).SequenceEqual(outcome.BodyHash.Span)
                    ? select.Long(0)
                    : throw new StorageCorruptException(
                        $"The request {outcome.RequestId} of epoch {epoch} is in the database {connection.Path} with other content than was published: nothing of that epoch was written.");
            }
        }
        using Statement insert = connection.Prepare("INSERT INTO request (request_id, body_hash) VALUES (?, ?)");
        insert.Bind(1, outcome.RequestId).Bind(2, outcome.BodyHash.Span).Execute();
        return connection.LastRowId;
    }

    private static bool TryMoveHead(Connection connection, Lease lease, EpochCommit commit)
    {
        using Statement update = connection.Prepare(
            """
            UPDATE head SET epoch = ?1, record_hash = ?2
            WHERE epoch = ?1 - 1 AND published_epoch = ?1 - 1 AND record_hash = ?3 AND fence = ?4 AND holder = ?5
            """);
        update.Bind(1, commit.Epoch.Epoch).Bind(2, commit.Epoch.RecordHash.Span).Bind(3, commit.PreviousHash.Span).Bind(4, lease.Fence).Bind(5, lease.Holder);
        return update.Execute() == 1;
    }

    private static bool TryDeletePending(Connection connection, IReadOnlyList<Outcome> outcomes)
    {
        // Row by row: a range would take along what was accepted since the rows were read.
        using Statement delete = connection.Prepare("DELETE FROM pending WHERE id = ? AND EXISTS (SELECT 1 FROM request WHERE seq = ? AND request_id = ?)");
        foreach (Outcome outcome in outcomes)
        {
            delete.Bind(1, RowIds.Item(outcome.Sequence, outcome.Item)).Bind(2, outcome.Sequence).Bind(3, outcome.RequestId);
            if (delete.Execute() != 1)
            {
                return false;
            }
        }
        return true;
    }

    private static long InsertLeaves(Connection connection, EpochCommit commit)
    {
        using Statement leaf = connection.Prepare(
            "INSERT INTO leaf (id, structure, period, version, item, label, commitment, tag, request_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
        using Statement value = connection.Prepare("INSERT INTO value (id, opening, key, value) VALUES (?, ?, ?, ?)");
        ReadOnlySpan<LeafRow> rows = commit.Leaves.Rows.Span;
        ReadOnlySpan<LeafOrigin> origins = commit.Leaves.Origins.Span;
        ReadOnlySpan<byte> values = commit.Leaves.Values.Span;
        long valueBytes = 0;
        for (int i = 0; i < rows.Length; i++)
        {
            ref readonly LeafRow row = ref rows[i];
            long id = RowIds.Leaf(commit.Epoch.Epoch, i);
            leaf.Bind(1, id).Bind(2, (long)row.Structure).Bind(3, commit.Period).Bind(4, row.Version).Bind(5, origins[i].Item)
                .Bind(6, row.Label).Bind(7, row.Commitment).Bind(8, row.Tag).Bind(9, origins[i].RequestId).Execute();
            if (row.ValueOffset == LeafRow.NoValue)
            {
                continue;
            }
            value.Bind(1, id).Bind(2, row.Opening).Bind(3, commit.Leaves.Key(i).Span).Bind(4, values.Slice((int)row.ValueOffset, (int)row.ValueLength)).Execute();
            valueBytes += row.ValueLength;
        }
        return valueBytes;
    }

    private static void InsertEpoch(Connection connection, EpochRow epoch, int leaves, long valueBytes)
    {
        using Statement insert = connection.Prepare("INSERT INTO epoch (epoch, leaves, value_bytes, record_hash, record) VALUES (?, ?, ?, ?, ?)");
        insert.Bind(1, epoch.Epoch).Bind(2, leaves).Bind(3, valueBytes).Bind(4, epoch.RecordHash.Span).Bind(5, epoch.Record.Span).Execute();
    }

    private static void InsertOutcomes(Connection connection, EpochCommit commit)
    {
        using Statement published = connection.Prepare("INSERT INTO outcome (id, epoch, ordinal) VALUES (?, ?, ?)");
        using Statement refused = connection.Prepare("INSERT INTO outcome (id, epoch, refusal, refused_item, current_period, current_version) VALUES (?, ?, ?, ?, ?, ?)");
        foreach (Outcome outcome in commit.Outcomes)
        {
            long id = RowIds.Item(outcome.Sequence, outcome.Item);
            if (outcome.Refusal is Refusal refusal)
            {
                refused.Bind(1, id).Bind(2, commit.Epoch.Epoch).Bind(3, (long)refusal.Reason).Bind(4, refusal.Item)
                    .Bind(5, refusal.Current.Period).Bind(6, refusal.Current.Version).Execute();
            }
            else
            {
                published.Bind(1, id).Bind(2, commit.Epoch.Epoch).Bind(3, outcome.Ordinal!.Value).Execute();
            }
        }
    }
}
