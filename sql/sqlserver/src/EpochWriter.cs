using Microsoft.Data.SqlClient;
using Optiks.Native;
using Optiks.Storage.SqlServer.Engine;

namespace Optiks.Storage.SqlServer;

/// <summary>EpochWriter writes an epoch inside a transaction. False: a condition does not hold, and the caller takes everything back.</summary>
internal static class EpochWriter
{
    private const string HeadCondition =
        """
        Epoch = @epoch - 1 AND PublishedEpoch = @epoch - 1 AND RecordHash = @previous AND DATALENGTH(RecordHash) = DATALENGTH(@previous) AND Fence = @fence AND Holder = @holder
        """;

    private static readonly Statement s_followsHead = new($"SELECT 1 FROM optiks.Head WHERE {HeadCondition}");

    private static readonly Statement s_head = new($"UPDATE optiks.Head SET Epoch = @epoch, RecordHash = @hash WHERE {HeadCondition}");

    private static readonly Statement s_genesisHead = new(
        "UPDATE optiks.Head SET Epoch = 0, RecordHash = @hash WHERE Epoch IS NULL AND Fence = @fence AND Holder = @holder");

    private static readonly Statement s_period = new(
        """
        INSERT INTO optiks.Period (Period, FirstEpoch, WrappedSecrets, Configuration)
        SELECT @period, @first, @secrets, @configuration WHERE NOT EXISTS (SELECT 1 FROM optiks.Period WHERE Period = @period)
        """);

    private static readonly Statement s_epoch = new(
        "INSERT INTO optiks.Epoch (Epoch, Leaves, ValueBytes, RecordHash, Record) VALUES (@epoch, @leaves, @valueBytes, @hash, @record)");

    // Row by row, by exactly the keys that were read: a range would take along what was accepted since.
    private static readonly Statement s_deletePending = new(
        $"""
        DELETE p FROM @decided AS d JOIN optiks.Request AS r ON r.Seq = d.Seq AND r.RequestId = d.RequestId JOIN optiks.Pending AS p ON p.Seq = d.Seq AND p.Item = d.Item
        {Statement.ByIndex}
        """);

    private static readonly Statement s_requests = new(
        $"SELECT r.RequestId, r.Seq, r.BodyHash FROM @ids AS i JOIN optiks.Request AS r ON r.RequestId = i.RequestId {Statement.ByIndex}");

    /// <summary>TryWriteGenesisAsync writes epoch 0 into a database without epochs.</summary>
    public static async Task<bool> TryWriteGenesisAsync(Connection connection, Lease lease, EpochRow genesis, PeriodRow period, CancellationToken cancellationToken)
    {
        int moved = await connection.ChangeAsync(
            s_genesisHead, cancellationToken, Parameters.Binary("@hash", genesis.RecordHash), Parameters.Bigint("@fence", lease.Fence), Parameters.Text("@holder", lease.Holder));
        if (moved != 1)
        {
            return false;
        }
        await connection.ExecuteAsync(
            s_period,
            cancellationToken,
            Parameters.Bigint("@period", period.Period),
            Parameters.Bigint("@first", period.FirstEpoch),
            Parameters.Binary("@secrets", period.WrappedSecrets),
            Parameters.Binary("@configuration", period.Configuration));
        await InsertEpochAsync(connection, genesis, leaves: 0, valueBytes: 0, cancellationToken);
        return true;
    }

    /// <summary>TryWriteAsync writes an epoch and removes the pending rows that it decides.</summary>
    public static async Task<bool> TryWriteAsync(Connection connection, Lease lease, EpochCommit commit, CancellationToken cancellationToken)
    {
        if (!await FollowsHeadAsync(connection, lease, commit, cancellationToken))
        {
            return false;
        }
        Outcome[] outcomes = Sorted(commit.Outcomes);
        await InsertAsync(connection, commit, outcomes, cancellationToken);
        return await DeletePendingAsync(connection, outcomes, cancellationToken) == outcomes.Length && await MoveHeadAsync(connection, lease, commit, cancellationToken);
    }

    /// <summary>TryRestoreAsync writes an epoch of a newer copy: its requests are found by id, and its pending rows need not be here.</summary>
    public static async Task<bool> TryRestoreAsync(Connection connection, Lease lease, EpochCommit commit, CancellationToken cancellationToken)
    {
        if (!await FollowsHeadAsync(connection, lease, commit, cancellationToken))
        {
            return false;
        }
        Dictionary<Guid, long> sequences = await FindOrAddRequestsAsync(connection, commit, cancellationToken);
        Outcome[] outcomes = Sorted(commit.Outcomes.Select(outcome => outcome with { Sequence = sequences[outcome.RequestId] }));
        await InsertAsync(connection, commit, outcomes, cancellationToken);
        _ = await DeletePendingAsync(connection, outcomes, cancellationToken);
        return await MoveHeadAsync(connection, lease, commit, cancellationToken);
    }

    // Only so that a holder that was fenced out learns it before it writes a hundred thousand rows: the head's update at the end decides.
    private static async Task<bool> FollowsHeadAsync(Connection connection, Lease lease, EpochCommit commit, CancellationToken cancellationToken) =>
        await connection.ScalarAsync(s_followsHead, cancellationToken, HeadParameters(lease, commit)) is not null;

    private static async Task<bool> MoveHeadAsync(Connection connection, Lease lease, EpochCommit commit, CancellationToken cancellationToken) =>
        await connection.ChangeAsync(s_head, cancellationToken, [.. HeadParameters(lease, commit), Parameters.Binary("@hash", commit.Epoch.RecordHash)]) == 1;

    private static SqlParameter[] HeadParameters(Lease lease, EpochCommit commit) =>
    [
        Parameters.Bigint("@epoch", commit.Epoch.Epoch),
        Parameters.Binary("@previous", commit.PreviousHash),
        Parameters.Bigint("@fence", lease.Fence),
        Parameters.Text("@holder", lease.Holder),
    ];

    // In the order of the tables' clustered keys.
    private static Outcome[] Sorted(IEnumerable<Outcome> outcomes) => [.. outcomes.OrderBy(outcome => outcome.Sequence).ThenBy(outcome => outcome.Item)];

    private static async Task InsertAsync(Connection connection, EpochCommit commit, Outcome[] outcomes, CancellationToken cancellationToken)
    {
        long valueBytes = await CopyLeavesAsync(connection, commit, cancellationToken);
        await InsertEpochAsync(connection, commit.Epoch, commit.Leaves.Rows.Length, valueBytes, cancellationToken);
        await CopyOutcomesAsync(connection, commit.Epoch.Epoch, outcomes, cancellationToken);
    }

    private static async Task InsertEpochAsync(Connection connection, EpochRow epoch, int leaves, long valueBytes, CancellationToken cancellationToken) => await connection.ExecuteAsync(
        s_epoch,
        cancellationToken,
        Parameters.Bigint("@epoch", epoch.Epoch),
        Parameters.Bigint("@leaves", (long)leaves),
        Parameters.Bigint("@valueBytes", valueBytes),
        Parameters.Binary("@hash", epoch.RecordHash),
        Parameters.Binary("@record", epoch.Record));

    private static async Task<int> DeletePendingAsync(Connection connection, Outcome[] outcomes, CancellationToken cancellationToken)
    {
        int deleted = 0;
        foreach (Outcome[] chunk in connection.Chunks(outcomes))
        {
            deleted += await connection.ChangeAsync(s_deletePending, cancellationToken, Lists.Decided.Parameter("@decided", chunk));
        }
        return deleted;
    }

    private static async Task<Dictionary<Guid, long>> FindOrAddRequestsAsync(Connection connection, EpochCommit commit, CancellationToken cancellationToken)
    {
        var hashes = new Dictionary<Guid, ReadOnlyMemory<byte>>();
        foreach (Outcome outcome in commit.Outcomes)
        {
            hashes[outcome.RequestId] = outcome.BodyHash;
        }
        // First: what is read after it is not overtaken by an accept.
        long last = await RequestNumbers.DrawAsync(connection, hashes.Count, cancellationToken);
        var sequences = new Dictionary<Guid, long>();
        foreach (Guid[] chunk in connection.Chunks(hashes.Keys))
        {
            await foreach (SqlDataReader reader in connection.RowsAsync(s_requests, cancellationToken, Lists.RequestIds.Parameter("@ids", chunk)))
            {
                Guid id = reader.RequestId(0);
                if (!reader.Octets(2).AsSpan().SequenceEqual(hashes[id].Span))
                {
                    throw new StorageCorruptException(
                        $"The request {id} of epoch {commit.Epoch.Epoch} is in the database with other content than was published: nothing of that epoch was written.");
                }
                sequences.Add(id, reader.GetInt64(1));
            }
        }
        Guid[] missing = [.. hashes.Keys.Where(id => !sequences.ContainsKey(id))];
        for (int i = 0; i < missing.Length; i++)
        {
            sequences.Add(missing[i], last + i + 1);
        }
        await connection.CopyAsync(
            Table.Request,
            missing.Length,
            (row, column) => column switch
            {
                0 => Parameters.Octets(missing[row]),
                1 => last + row + 1,
                _ => hashes[missing[row]].ToArray(),
            },
            cancellationToken);
        return sequences;
    }

    private static async Task<long> CopyLeavesAsync(Connection connection, EpochCommit commit, CancellationToken cancellationToken)
    {
        LeafBatch leaves = commit.Leaves;
        object epoch = checked((long)commit.Epoch.Epoch);
        object period = checked((long)commit.Period);
        object LeafCell(int row, int column)
        {
            ref readonly LeafRow leaf = ref leaves.Rows.Span[row];
            return column switch
            {
                0 => epoch,
                1 => row,
                2 => (byte)leaf.Structure,
                3 => period,
                4 => checked((long)leaf.Version),
                5 => leaf.Label.ToArray(),
                6 => leaf.Commitment.ToArray(),
                7 => leaf.Tag.ToArray(),
                8 => Parameters.Octets(leaves.Origins.Span[row].RequestId),
                _ => checked((byte)leaves.Origins.Span[row].Item),
            };
        }
        int[] present = [.. Enumerable.Range(0, leaves.Rows.Length).Where(row => leaves.Rows.Span[row].ValueOffset != LeafRow.NoValue)];
        object ValueCell(int row, int column)
        {
            int ordinal = present[row];
            ref readonly LeafRow leaf = ref leaves.Rows.Span[ordinal];
            return column switch
            {
                0 => epoch,
                1 => ordinal,
                2 => leaf.Opening.ToArray(),
                3 => leaves.Key(ordinal).ToArray(),
                _ => leaves.Values.Slice(checked((int)leaf.ValueOffset), checked((int)leaf.ValueLength)).ToArray(),
            };
        }
        await connection.CopyAsync(Table.Leaf, leaves.Rows.Length, LeafCell, cancellationToken);
        await connection.CopyAsync(Table.Value, present.Length, ValueCell, cancellationToken);
        return present.Sum(ordinal => (long)leaves.Rows.Span[ordinal].ValueLength);
    }

    private static Task CopyOutcomesAsync(Connection connection, ulong epoch, Outcome[] outcomes, CancellationToken cancellationToken)
    {
        object decided = checked((long)epoch);
        object Cell(int row, int column)
        {
            Outcome outcome = outcomes[row];
            return column switch
            {
                0 => outcome.Sequence,
                1 => checked((byte)outcome.Item),
                2 => decided,
                3 => outcome.Ordinal is int ordinal ? ordinal : DBNull.Value,
                4 => outcome.Refusal is { } refusal ? (byte)refusal.Reason : DBNull.Value,
                5 => outcome.Refusal is { } refusal ? checked((byte)refusal.Item) : DBNull.Value,
                6 => outcome.Refusal is { } refusal ? checked((long)refusal.Current.Period) : DBNull.Value,
                _ => outcome.Refusal is { } refusal ? checked((long)refusal.Current.Version) : DBNull.Value,
            };
        }
        return connection.CopyAsync(Table.Outcome, outcomes.Length, Cell, cancellationToken);
    }
}
