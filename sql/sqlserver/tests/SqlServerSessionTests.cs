using System.Globalization;
using Microsoft.Data.SqlClient;
using Optiks.Storage.Conformance;

namespace Optiks.Storage.SqlServer.Tests;

/// <summary>Tests what happens when the driver's sessions end while it works, as in a failover. The tests end only sessions, because they
/// cannot kill a server that they did not start.</summary>
public sealed class SqlServerSessionTests() : StorageConformance(new SqlServerFixture())
{
    [Fact]
    public async Task What_was_answered_survives_the_ends_of_all_sessions_and_nothing_is_doubled()
    {
        const int Kills = 5;
        Lease lease = await StartLogAsync();
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var accepted = new List<Guid>();
        Task accepting = Task.Run(
            async () =>
            {
                for (int i = 0; !stop.IsCancellationRequested; i++)
                {
                    AcceptRequest request = Request(
                        Guid.CreateVersion7(TimeProvider.System.GetUtcNow()), Item($"key {i}"), Item($"other {i}"));
                    Assert.Equal(AcceptStatus.Accepted, (await RepeatAsync(() => TryAcceptAsync(request))).Status);
                    accepted.Add(request.RequestId);
                }
            },
            Cancel);
        ulong epoch = 0;
        Task committing = Task.Run(
            async () =>
            {
                while (!stop.IsCancellationRequested)
                {
                    epoch = await AdvanceAsync(lease, epoch + 1);
                }
            },
            Cancel);
        int ended = 0;
        for (int i = 0; i < Kills; i++)
        {
            await Task.Delay(700, Cancel);
            ended += await EndSessionsAsync();
        }
        await stop.CancelAsync();
        await accepting;
        await committing;
        while (await Pipeline.CountPendingAsync(Cancel) > 0)
        {
            epoch = await AdvanceAsync(lease, epoch + 1);
        }
        Assert.True(ended >= Kills, $"Only {ended} sessions were ended: the test did not test.");
        var seen = new List<LeafOrigin>();
        await foreach (LeafBatch batch in Pipeline.ReadLeavesAsync(0, epoch, 10_000, LeafColumns.All, Cancel))
        {
            seen.AddRange(batch.Origins.ToArray());
        }
        Assert.Equal(seen.Count, seen.Distinct().Count());
        Assert.Equal(accepted.SelectMany(id => new[] { (id, 0), (id, 1) }).Order(),
            seen.Select(origin => (origin.RequestId, origin.Item)).Order());
    }

    // Commits an epoch as the update-task does. If the result is unknown, the method looks it up before it writes again.
    private Task<ulong> AdvanceAsync(Lease lease, ulong epoch) => RepeatAsync(async () =>
    {
        HeadRow head = await Pipeline.ReadHeadAsync(Cancel);
        if (head.Epoch < epoch)
        {
            Assert.NotEqual(CommitResult.Fenced, await CommitPendingAsync(lease, epoch));
            head = await Pipeline.ReadHeadAsync(Cancel);
            Assert.Equal(epoch, head.Epoch);
        }
        if (head.PublishedEpoch < epoch)
        {
            await SignAndPublishAsync(lease, epoch);
        }
        return epoch;
    });

    // Ends the sessions of this test's database. Ignores a session that ends by itself in the meantime.
    private async Task<int> EndSessionsAsync()
    {
        var ids = new List<int>();
        await using SqlConnection connection = await SqlServerFixture.OpenAsync(ConnectionString);
        await using (var select = new SqlCommand(
            "SELECT session_id FROM sys.dm_exec_sessions WHERE database_id = DB_ID() AND session_id <> @@SPID AND (program_name LIKE N'optiks-task-%' OR program_name LIKE N'optiks-update-%')", connection))
        await using (SqlDataReader reader = await select.ExecuteReaderAsync(Cancel))
        {
            while (await reader.ReadAsync(Cancel))
            {
                ids.Add(Convert.ToInt32(reader.GetValue(0), CultureInfo.InvariantCulture));
            }
        }
        int ended = 0;
        foreach (int id in ids)
        {
            await using var kill = new SqlCommand(string.Create(CultureInfo.InvariantCulture, $"KILL {id}"), connection);
            try
            {
                _ = await kill.ExecuteNonQueryAsync(Cancel);
                ended++;
            }
            // Babelfish reports this error with SQL Server's text, but not with SQL Server's error number.
            catch (SqlException e) when (Engine.SqlServerErrors.IsNoSuchSession(e)
                || e.Message.Contains("not an active process ID", StringComparison.Ordinal))
            {
                continue;
            }
        }
        return ended;
    }
}
