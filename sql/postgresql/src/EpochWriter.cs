using Npgsql;
using NpgsqlTypes;
using Optiks.Native;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql;

/// <summary>EpochWriter writes an epoch inside a transaction. False: a condition does not hold, and the caller takes everything back.</summary>
internal static class EpochWriter
{
    private const string HeadCondition = "epoch = $1 - 1 AND published_epoch = $1 - 1 AND record_hash = $2 AND fence = $3 AND holder = $4";

    /// <summary>TryWriteGenesisAsync writes epoch 0 into a database without epochs.</summary>
    public static async Task<bool> TryWriteGenesisAsync(NpgsqlConnection connection, Lease lease, EpochRow genesis, PeriodRow period, CancellationToken cancellationToken)
    {
        await using var batch = new NpgsqlBatch(connection);
        NpgsqlBatchCommand head = batch.Add(
            "UPDATE head SET epoch = 0, record_hash = $1 WHERE epoch IS NULL AND fence = $2 AND holder = $3",
            Commands.Bytea(genesis.RecordHash),
            Commands.Bigint(lease.Fence),
            Commands.Text(lease.Holder));
        _ = batch.Add(
            "INSERT INTO period (period, first_epoch, wrapped_secrets, configuration) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            Commands.Bigint(period.Period),
            Commands.Bigint(period.FirstEpoch),
            Commands.Bytea(period.WrappedSecrets),
            Commands.Bytea(period.Configuration));
        NpgsqlBatchCommand epoch = AddEpoch(batch, genesis, leaves: 0, valueBytes: 0);
        _ = await batch.ExecuteNonQueryAsync(cancellationToken);
        return head.RecordsAffected == 1 && epoch.RecordsAffected == 1;
    }

    /// <summary>TryWriteAsync writes an epoch and removes the pending rows that it decides.</summary>
    public static async Task<bool> TryWriteAsync(NpgsqlConnection connection, Lease lease, EpochCommit commit, CancellationToken cancellationToken)
    {
        if (!await FollowsHeadAsync(connection, lease, commit, cancellationToken))
        {
            return false;
        }
        long valueBytes = CopyLeaves(connection, commit);
        CopyOutcomes(connection, commit.Epoch.Epoch, commit.Outcomes);
        await using var batch = new NpgsqlBatch(connection);
        NpgsqlBatchCommand epoch = AddEpoch(batch, commit.Epoch, commit.Leaves.Rows.Length, valueBytes);
        NpgsqlBatchCommand delete = AddDelete(batch, commit.Outcomes);
        NpgsqlBatchCommand head = AddHead(batch, lease, commit);
        _ = await batch.ExecuteNonQueryAsync(cancellationToken);
        return epoch.RecordsAffected == 1 && delete.RecordsAffected == commit.Outcomes.Count && head.RecordsAffected == 1;
    }

    /// <summary>TryRestoreAsync writes an epoch of a newer copy: its requests are found by id, and its pending rows need not be here.</summary>
    public static async Task<bool> TryRestoreAsync(NpgsqlConnection connection, Lease lease, EpochCommit commit, CancellationToken cancellationToken)
    {
        if (!await FollowsHeadAsync(connection, lease, commit, cancellationToken))
        {
            return false;
        }
        Dictionary<Guid, long> sequences = await FindOrAddRequestsAsync(connection, commit, cancellationToken);
        Outcome[] outcomes = [.. commit.Outcomes.Select(outcome => outcome with { Sequence = sequences[outcome.RequestId] }).OrderBy(outcome => outcome.Sequence).ThenBy(outcome => outcome.Item)];
        long valueBytes = CopyLeaves(connection, commit);
        CopyOutcomes(connection, commit.Epoch.Epoch, outcomes);
        await using var batch = new NpgsqlBatch(connection);
        NpgsqlBatchCommand epoch = AddEpoch(batch, commit.Epoch, commit.Leaves.Rows.Length, valueBytes);
        _ = AddDelete(batch, outcomes);
        NpgsqlBatchCommand head = AddHead(batch, lease, commit);
        _ = await batch.ExecuteNonQueryAsync(cancellationToken);
        return epoch.RecordsAffected == 1 && head.RecordsAffected == 1;
    }

    // Only so that a holder that was fenced out learns it before it writes a hundred thousand rows: the head's update at the end decides.
    private static async Task<bool> FollowsHeadAsync(NpgsqlConnection connection, Lease lease, EpochCommit commit, CancellationToken cancellationToken)
    {
        await using NpgsqlCommand select = connection.Command(
            $"SELECT 1 FROM head WHERE {HeadCondition}",
            Commands.Bigint(commit.Epoch.Epoch),
            Commands.Bytea(commit.PreviousHash),
            Commands.Bigint(lease.Fence),
            Commands.Text(lease.Holder));
        return await select.ExecuteScalarAsync(cancellationToken) is not null;
    }

    private static async Task<Dictionary<Guid, long>> FindOrAddRequestsAsync(NpgsqlConnection connection, EpochCommit commit, CancellationToken cancellationToken)
    {
        var hashes = new Dictionary<Guid, ReadOnlyMemory<byte>>();
        foreach (Outcome outcome in commit.Outcomes)
        {
            hashes[outcome.RequestId] = outcome.BodyHash;
        }
        Guid[] ids = [.. hashes.Keys];
        await using var batch = new NpgsqlBatch(connection);
        _ = batch.Add($"SELECT pg_advisory_xact_lock({AdvisoryLocks.Accept})");
        _ = batch.Add(
            "INSERT INTO request (request_id, body_hash) SELECT * FROM unnest($1, $2) ON CONFLICT (request_id) DO NOTHING",
            Commands.List(ids, NpgsqlDbType.Uuid),
            Commands.List(ids.Select(id => hashes[id]).ToArray(), NpgsqlDbType.Bytea));
        _ = batch.Add("SELECT request_id, seq, body_hash FROM request WHERE request_id = ANY ($1)", Commands.List(ids, NpgsqlDbType.Uuid));
        var sequences = new Dictionary<Guid, long>();
        await using NpgsqlDataReader reader = await batch.ExecuteReaderAsync(cancellationToken);
        _ = await reader.NextResultAsync(cancellationToken);
        while (await reader.ReadAsync(cancellationToken))
        {
            Guid id = reader.GetGuid(0);
            if (!reader.Octets(2).AsSpan().SequenceEqual(hashes[id].Span))
            {
                throw new StorageCorruptException(
                    $"The request {id} of epoch {commit.Epoch.Epoch} is in the database with other content than was published: nothing of that epoch was written.");
            }
            sequences.Add(id, reader.GetInt64(1));
        }
        return sequences;
    }

    // Cell by cell into the connection's buffer: only a full buffer waits for the network, and rows stay a flat array without an object each.
    private static long CopyLeaves(NpgsqlConnection connection, EpochCommit commit)
    {
        ReadOnlySpan<LeafRow> rows = commit.Leaves.Rows.Span;
        ReadOnlySpan<LeafOrigin> origins = commit.Leaves.Origins.Span;
        if (rows.IsEmpty)
        {
            return 0;
        }
        long valueBytes = 0;
        byte[] octets = new byte[32];
        using (NpgsqlBinaryImporter copy = connection.BeginBinaryImport(
            "COPY leaf (epoch, period, version, request_id, ordinal, item, structure, label, commitment, tag) FROM STDIN (FORMAT BINARY)"))
        {
            for (int i = 0; i < rows.Length; i++)
            {
                ref readonly LeafRow row = ref rows[i];
                copy.StartRow();
                copy.Write(checked((long)row.Epoch), NpgsqlDbType.Bigint);
                copy.Write(checked((long)commit.Period), NpgsqlDbType.Bigint);
                copy.Write(checked((long)row.Version), NpgsqlDbType.Bigint);
                copy.Write(origins[i].RequestId, NpgsqlDbType.Uuid);
                copy.Write(i, NpgsqlDbType.Integer);
                copy.Write((short)origins[i].Item, NpgsqlDbType.Smallint);
                copy.Write((short)row.Structure, NpgsqlDbType.Smallint);
                Write(copy, row.Label, octets);
                Write(copy, row.Commitment, octets);
                Write(copy, row.Tag, octets);
            }
            _ = copy.Complete();
        }
        using NpgsqlBinaryImporter values = connection.BeginBinaryImport("COPY value (epoch, ordinal, opening, key, value) FROM STDIN (FORMAT BINARY)");
        for (int i = 0; i < rows.Length; i++)
        {
            ref readonly LeafRow row = ref rows[i];
            if (row.ValueOffset == LeafRow.NoValue)
            {
                continue;
            }
            values.StartRow();
            values.Write(checked((long)row.Epoch), NpgsqlDbType.Bigint);
            values.Write(i, NpgsqlDbType.Integer);
            Write(values, row.Opening, octets);
            values.Write(commit.Leaves.Key(i), NpgsqlDbType.Bytea);
            values.Write(commit.Leaves.Values.Slice(checked((int)row.ValueOffset), checked((int)row.ValueLength)), NpgsqlDbType.Bytea);
            valueBytes += row.ValueLength;
        }
        _ = values.Complete();
        return valueBytes;
    }

    private static void CopyOutcomes(NpgsqlConnection connection, ulong epoch, IReadOnlyList<Outcome> outcomes)
    {
        using NpgsqlBinaryImporter copy = connection.BeginBinaryImport(
            "COPY outcome (seq, epoch, current_period, current_version, ordinal, item, refusal, refused_item) FROM STDIN (FORMAT BINARY)");
        for (int i = 0; i < outcomes.Count; i++)
        {
            Outcome outcome = outcomes[i];
            copy.StartRow();
            copy.Write(outcome.Sequence, NpgsqlDbType.Bigint);
            copy.Write(checked((long)epoch), NpgsqlDbType.Bigint);
            if (outcome.Refusal is { } refusal)
            {
                copy.Write(checked((long)refusal.Current.Period), NpgsqlDbType.Bigint);
                copy.Write(checked((long)refusal.Current.Version), NpgsqlDbType.Bigint);
                copy.WriteNull();
                copy.Write((short)outcome.Item, NpgsqlDbType.Smallint);
                copy.Write((short)refusal.Reason, NpgsqlDbType.Smallint);
                copy.Write((short)refusal.Item, NpgsqlDbType.Smallint);
            }
            else
            {
                copy.WriteNull();
                copy.WriteNull();
                copy.Write(outcome.Ordinal!.Value, NpgsqlDbType.Integer);
                copy.Write((short)outcome.Item, NpgsqlDbType.Smallint);
                copy.WriteNull();
                copy.WriteNull();
            }
        }
        _ = copy.Complete();
    }

    private static T[] Column<T>(IReadOnlyList<Outcome> outcomes, Func<Outcome, T> field)
    {
        var column = new T[outcomes.Count];
        for (int i = 0; i < column.Length; i++)
        {
            column[i] = field(outcomes[i]);
        }
        return column;
    }

    private static void Write(NpgsqlBinaryImporter copy, ReadOnlySpan<byte> field, byte[] octets)
    {
        field.CopyTo(octets);
        copy.Write<ReadOnlyMemory<byte>>(octets.AsMemory(0, field.Length), NpgsqlDbType.Bytea);
    }

    private static NpgsqlBatchCommand AddEpoch(NpgsqlBatch batch, EpochRow epoch, int leaves, long valueBytes) => batch.Add(
        "INSERT INTO epoch (epoch, leaves, value_bytes, record_hash, record) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
        Commands.Bigint(epoch.Epoch),
        Commands.Bigint((long)leaves),
        Commands.Bigint(valueBytes),
        Commands.Bytea(epoch.RecordHash),
        Commands.Bytea(epoch.Record));

    // The pending rows of outcomes, row by row, by exactly the keys that were read: a range would take along what was accepted since. Written so that each row is looked up by its index: by statistics that
    // were taken while the queue was empty, a join would go through all of it for every row.
    private static NpgsqlBatchCommand AddDelete(NpgsqlBatch batch, IReadOnlyList<Outcome> outcomes) => batch.Add(
        """
        DELETE FROM pending WHERE ctid = ANY (ARRAY(
          SELECT p.ctid FROM unnest($1, $2, $3) AS d (seq, item, request_id)
          CROSS JOIN LATERAL (SELECT ctid FROM pending WHERE seq = d.seq AND item = d.item AND request_id = d.request_id OFFSET 0) AS p))
        """,
        Commands.List(Column(outcomes, outcome => outcome.Sequence), NpgsqlDbType.Bigint),
        Commands.List(Column(outcomes, outcome => (short)outcome.Item), NpgsqlDbType.Smallint),
        Commands.List(Column(outcomes, outcome => outcome.RequestId), NpgsqlDbType.Uuid));

    private static NpgsqlBatchCommand AddHead(NpgsqlBatch batch, Lease lease, EpochCommit commit) => batch.Add(
        $"UPDATE head SET epoch = $1, record_hash = $5 WHERE {HeadCondition}",
        Commands.Bigint(commit.Epoch.Epoch),
        Commands.Bytea(commit.PreviousHash),
        Commands.Bigint(lease.Fence),
        Commands.Text(lease.Holder),
        Commands.Bytea(commit.Epoch.RecordHash));
}
