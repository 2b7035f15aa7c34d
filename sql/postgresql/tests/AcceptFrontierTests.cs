using Npgsql;
using Optiks.Storage.Conformance;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql.Tests;

/// <summary>
/// Tests that large groups can commit in any order, and that the update-task still reads a request that got its number early but was
/// committed late.
/// </summary>
public sealed class AcceptFrontierTests() : StorageConformance(new PostgreSqlFixture())
{
    [Fact]
    public async Task A_group_that_is_committed_after_later_ones_is_read()
    {
        Lease lease = await StartLogAsync();
        await using var slow = new NpgsqlConnection(ConnectionString + ";Pooling=false;Search Path=optiks");
        AcceptRequest late = await RequestAsync(Item("late"));
        await using NpgsqlTransaction transaction = await BeginToAcceptAsync(slow, late);

        // As the update-task does, the test reads each epoch's updates before the previous epoch is committed. The test makes more epochs
        // than the frontier needs to advance.
        EpochUpdates updates = EpochUpdates.Empty;
        for (ulong epoch = 1; epoch <= 4; epoch++)
        {
            updates = await PublishNextAsync(lease, epoch, updates, await AcceptListAsync());
        }
        await transaction.CommitAsync(Cancel);
        updates = await PublishNextAsync(lease, 5, updates, [.. await AcceptListAsync(), late.RequestId]);

        // Once the slow transaction has ended, the update-task does not read requests again that epochs have already decided.
        for (ulong epoch = 6; epoch <= 9; epoch++)
        {
            long last = updates.Requests[^1].Sequence;
            updates = await PublishNextAsync(lease, epoch, updates, await AcceptListAsync());
            Assert.True(epoch < 9 || updates.DecidedThrough.Sequence >= last, $"decided through {updates.DecidedThrough} after {last}");
        }
    }

    [Fact]
    public async Task A_count_waits_for_those_who_drew_a_number_before()
    {
        await using var slow = new NpgsqlConnection(ConnectionString + ";Pooling=false;Search Path=optiks");
        AcceptRequest late = await RequestAsync(Item("late"));
        await using NpgsqlTransaction transaction = await BeginToAcceptAsync(slow, late);

        // A large group gets later numbers than the late request, but commits first.
        _ = await AcceptListAsync();
        Task<long> count = Accept.CountPendingAsync(1000, Cancel);
        Assert.NotSame(count, await Task.WhenAny(count, Task.Delay(200, Cancel)));
        await transaction.CommitAsync(Cancel);
        Assert.Equal(301, await count);
    }

    // Accepts a request as the driver does, but leaves the transaction uncommitted.
    private static async Task<NpgsqlTransaction> BeginToAcceptAsync(NpgsqlConnection slow, AcceptRequest late)
    {
        await slow.OpenAsync(Cancel);
        NpgsqlTransaction transaction = await slow.BeginTransactionAsync(Cancel);
        _ = await Cluster.ExecuteAsync(slow, $"SELECT pg_advisory_xact_lock_shared({AdvisoryLocks.Accept})");
        _ = await Cluster.ExecuteAsync(
            slow, "INSERT INTO request (request_id, body_hash) VALUES ($1, $2)", late.RequestId, late.BodyHash.ToArray());
        _ = await Cluster.ExecuteAsync(
            slow,
            "INSERT INTO pending (seq, item, structure, key, value, request_id, body_hash) SELECT seq, 0, 3, $1, '', request_id, body_hash FROM request WHERE request_id = $2", "late"u8.ToArray(), late.RequestId);
        return transaction;
    }

    // Accepts a group of requests that is large enough for the driver to insert it by COPY, concurrently with other groups.
    private async Task<IEnumerable<Guid>> AcceptListAsync()
    {
        AcceptRequest[] requests = await RequestsAsync(300, i => [Item($"key {i}")]);
        Assert.All(await Accept.AcceptAsync([.. requests.Select(request => new AcceptUnit([request]))], Cancel),
            result => Assert.Equal(AcceptStatus.Accepted, result.Status));
        return requests.Select(request => request.RequestId);
    }

    private async Task<EpochUpdates> PublishNextAsync(Lease lease, ulong epoch, EpochUpdates before, IEnumerable<Guid> expected)
    {
        var selection = new PendingSelection(100_000, long.MaxValue, before == EpochUpdates.Empty ? null : before);
        await Pipeline.ReadPendingAsync(selection, Cancel);
        // As the update-task does until the next epoch is due, the test reads again, although nothing was accepted since.
        await Pipeline.ReadPendingAsync(selection, Cancel);
        EpochUpdates updates = selection.Complete();
        Assert.Equal(expected.Order(), updates.Requests.Select(request => request.RequestId).Order());
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, Commit(epoch, updates.Requests), Cancel));
        await SignAndPublishAsync(lease, epoch);
        return updates;
    }
}
