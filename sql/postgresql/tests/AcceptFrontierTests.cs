using Npgsql;
using Optiks.Storage.Conformance;
using Optiks.Storage.PostgreSql.Engine;

namespace Optiks.Storage.PostgreSql.Tests;

/// <summary>Large groups are committed in any order: what was numbered early and committed late is read all the same.</summary>
public sealed class AcceptFrontierTests() : StorageConformance(new PostgreSqlFixture())
{
    [Fact]
    public async Task A_group_that_is_committed_after_later_ones_is_read()
    {
        Lease lease = await StartLogAsync();
        await using var slow = new NpgsqlConnection(ConnectionString + ";Pooling=false;Search Path=optiks");
        await slow.OpenAsync(Cancel);
        AcceptRequest late = await RequestAsync(Item("late"));
        await using NpgsqlTransaction transaction = await slow.BeginTransactionAsync(Cancel);
        _ = await Cluster.ExecuteAsync(slow, $"SELECT pg_advisory_xact_lock_shared({AdvisoryLocks.Accept})");
        _ = await Cluster.ExecuteAsync(slow, "INSERT INTO request (request_id, body_hash) VALUES ($1, $2)", late.RequestId, late.BodyHash.ToArray());
        _ = await Cluster.ExecuteAsync(slow, "INSERT INTO pending (seq, item, structure, key, value, request_id, body_hash) SELECT seq, 0, 3, $1, '', request_id, body_hash FROM request WHERE request_id = $2", "late"u8.ToArray(), late.RequestId);

        // Epochs that are read ahead of each other, as the update-task does: more than the frontier takes to move.
        PendingBatch batch = PendingBatch.Empty;
        for (ulong epoch = 1; epoch <= 4; epoch++)
        {
            batch = await PublishNextAsync(lease, epoch, batch, await AcceptListAsync());
        }
        await transaction.CommitAsync(Cancel);
        batch = await PublishNextAsync(lease, 5, batch, [.. await AcceptListAsync(), late.RequestId]);

        // Once it is gone, what was decided is not gone through again.
        for (ulong epoch = 6; epoch <= 9; epoch++)
        {
            long last = batch.Requests[^1].Sequence;
            batch = await PublishNextAsync(lease, epoch, batch, await AcceptListAsync());
            Assert.True(epoch < 9 || batch.DecidedThrough.Sequence >= last, $"decided through {batch.DecidedThrough} after {last}");
        }
    }

    // As many as are copied beside others.
    private async Task<IEnumerable<Guid>> AcceptListAsync()
    {
        AcceptRequest[] requests = await Task.WhenAll(Enumerable.Range(0, 300).Select(i => RequestAsync(Item($"key {i}"))));
        Assert.All(await Accept.AcceptAsync([.. requests.Select(request => new AcceptUnit([request]))], Cancel), result => Assert.Equal(AcceptStatus.Accepted, result.Status));
        return requests.Select(request => request.RequestId);
    }

    private async Task<PendingBatch> PublishNextAsync(Lease lease, ulong epoch, PendingBatch before, IEnumerable<Guid> expected)
    {
        var selection = new PendingSelection(100_000, long.MaxValue, before == PendingBatch.Empty ? null : before);
        await Pipeline.ReadPendingAsync(selection, Cancel);
        // Again, as until an epoch is due: nothing was accepted since.
        await Pipeline.ReadPendingAsync(selection, Cancel);
        PendingBatch batch = selection.Complete();
        Assert.Equal(expected.Order(), batch.Requests.Select(request => request.RequestId).Order());
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, Commit(epoch, batch.Requests), Cancel));
        await SignAndPublishAsync(lease, epoch);
        return batch;
    }
}
