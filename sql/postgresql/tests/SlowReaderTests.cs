using Npgsql;
using Optiks.Storage.Conformance;

namespace Optiks.Storage.PostgreSql.Tests;

/// <summary>
/// Tests that a query-service that catches up slowly delays no other program, and that each read sees the state at the time when the read
/// began.
/// </summary>
public sealed class SlowReaderTests() : StorageConformance(new PostgreSqlFixture())
{
    private const int Epochs = 6;
    private const int KeysAnEpoch = 20;
    private const string Sessions = "FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'optiks-query-%'";

    [Fact]
    public async Task Epochs_commit_while_a_reader_stands_still()
    {
        Lease lease = await StartLogAsync();
        for (ulong epoch = 1; epoch <= Epochs; epoch++)
        {
            await PublishKeysAsync(lease, epoch);
        }
        await using IFollowStore follow = await Fixture.Provider.OpenFollowAsync(ConnectionString, Cancel);
        // The range has no fixed end: it ends with the last epoch that is published when the reader asks for a batch.
        await using IAsyncEnumerator<LeafBatch> batches = follow.ReadLeavesAsync(1, ulong.MaxValue, KeysAnEpoch, LeafColumns.All, Cancel)
            .GetAsyncEnumerator(Cancel);
        ulong next = Epochs + 1;
        for (ulong epoch = 1; epoch <= 2 * Epochs; epoch++)
        {
            Assert.True(await batches.MoveNextAsync());
            LeafBatch batch = batches.Current;
            // Each batch has the leaves of one whole epoch, in order, so the reader holds no more than one epoch in memory.
            Assert.Equal(KeysAnEpoch, batch.Rows.Length);
            Assert.All(batch.Rows.ToArray(), row => Assert.Equal(epoch, row.Epoch));
            string[] labels = [.. batch.Rows.ToArray().Select(row => Convert.ToHexString(row.Label))];
            Assert.Equal(labels.Order(StringComparer.Ordinal), labels);
            // Between batches the reader has a session but no transaction, so that the server can remove deleted rows.
            Assert.NotEqual(0L, await CountAsync($"SELECT count(*) {Sessions}"));
            Assert.Equal(0L, await CountAsync($"SELECT count(*) {Sessions} AND xact_start IS NOT NULL"));
            if (next <= 2 * Epochs)
            {
                await PublishKeysAsync(lease, next++);
            }
        }
        Assert.False(await batches.MoveNextAsync());
    }

    [Fact]
    public async Task Epochs_commit_while_a_reader_is_in_the_middle_of_its_transaction()
    {
        Lease lease = await StartLogAsync();
        await PublishKeysAsync(lease, 1);
        await using var reader = new NpgsqlConnection(ConnectionString + ";Pooling=false;Search Path=optiks");
        await reader.OpenAsync(Cancel);
        await using NpgsqlTransaction transaction = await reader.BeginTransactionAsync(System.Data.IsolationLevel.RepeatableRead, Cancel);
        await using var count = new NpgsqlCommand("SELECT count(*) FROM leaf", reader, transaction);
        Assert.Equal((long)KeysAnEpoch, await count.ExecuteScalarAsync(Cancel));
        // If the reader held a lock, this call would wait for it until the token is cancelled.
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        patience.CancelAfter(TimeSpan.FromSeconds(60));
        await PublishKeysAsync(lease, 2).WaitAsync(patience.Token);
        // The reader's transaction still sees its own snapshot, whereas a new query sees the next state.
        Assert.Equal((long)KeysAnEpoch, await count.ExecuteScalarAsync(Cancel));
        Assert.Equal(2L * KeysAnEpoch, await CountAsync("SELECT count(*) FROM optiks.leaf"));
    }

    private async Task PublishKeysAsync(Lease lease, ulong epoch)
    {
        for (int i = 0; i < KeysAnEpoch; i++)
        {
            _ = await AcceptOneAsync(Item($"key {i}", $"value {epoch} {i}"));
        }
        await PublishPendingAsync(lease, epoch);
    }

    private Task<long> CountAsync(string sql) => Cluster.CountAsync(ConnectionString, sql);
}
