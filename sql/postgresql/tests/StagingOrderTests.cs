using System.Data.Common;
using Optiks.Native;
using Optiks.Storage.Conformance;

namespace Optiks.Storage.PostgreSql.Tests;

/// <summary>Tests one session that copies a value while another session erases it, in both possible orders.</summary>
public sealed class StagingOrderTests() : StorageConformance(new PostgreSqlFixture())
{
    [Theory]
    [InlineData(true, StageResult.Staged)]
    [InlineData(false, StageResult.SourceErased)]
    public async Task Whoever_waits_for_the_other_sees_what_it_did(bool stagesFirst, StageResult expected)
    {
        Lease lease = await StartLogAsync();
        PipelineStore other = await OpenPipelineAsync();
        await PublishAsync(lease, 1, Item("a", "1"));
        await PublishAsync(lease, 2, Item("a", "2"));
        _ = await Pipeline.BeginPeriodAsync(lease, 1, Octets("secrets"), Cancel);
        CopyBatch copies = await CopiesAsync(1, 0, ("a", 1));
        (EpochCommit commit, _) = await ErasingAsync(3, "a", (1, "a"));
        Task<StageResult> staging = Task.FromResult(StageResult.Unknown);
        Task<CommitResult> erasing = Task.FromResult(CommitResult.Unknown);
        Action[] starts = [() => staging = other.StageCopiesAsync(lease, copies, Cancel),
            () => erasing = Pipeline.CommitEpochAsync(lease, commit, Cancel)];
        // Both sessions wait for the head row, and get its lock in the order in which they began to wait.
        await using (DbConnection connection = new PostgreSqlFixture().Connect(ConnectionString))
        {
            await connection.OpenAsync(Cancel);
            await using DbTransaction transaction = await connection.BeginTransactionAsync(Cancel);
            await using DbCommand command = connection.CreateCommand();
            command.Transaction = transaction;
            command.CommandText = "SELECT 1 FROM head FOR UPDATE";
            _ = await command.ExecuteScalarAsync(Cancel);
            for (int i = 0; i < starts.Length; i++)
            {
                starts[stagesFirst ? i : starts.Length - 1 - i]();
                while (await Cluster.CountAsync(ConnectionString,
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") <= i)
                {
                    await Task.Delay(20, Cancel);
                }
            }
            await transaction.RollbackAsync(Cancel);
        }
        Assert.Equal((expected, CommitResult.Committed), (await staging, await erasing));
        await SignAndPublishAsync(lease, 3);
        CopyBatch left = await Pipeline.ReadCopiesAsync(1, 0, 10, LeafColumns.All, Cancel);
        Assert.Equal(stagesFirst ? 1 : 0, left.Rows.Length);
        Assert.DoesNotContain(left.Rows.ToArray(), row => row.ValueOffset != LeafRow.NoValue);
        Assert.Equal(stagesFirst ? 2 : 1, (await Pipeline.ReadErasuresAsync(3, 3, Cancel)).Count);
    }
}
