using Optiks.Storage.Conformance;

namespace Optiks.Storage.PostgreSql.Tests;

/// <summary>Tests that the server looks up single rows by their indexes, whatever the statistics are.</summary>
public sealed class PlanTests() : StorageConformance(new PostgreSqlFixture())
{
    private const int Requests = 100_000;

    [Fact]
    public async Task A_status_does_not_go_through_all_requests()
    {
        // The statistics are made as they are under load: the server counted the outcomes when there were few, and many were added since.
        await Cluster.ExecuteAsync(
            ConnectionString,
            $"""
            ALTER TABLE request SET (autovacuum_enabled = off);
            ALTER TABLE outcome SET (autovacuum_enabled = off);
            INSERT INTO request (request_id, body_hash) SELECT gen_random_uuid(), sha256('a') FROM generate_series(1, {Requests});
            INSERT INTO outcome (seq, epoch, ordinal, item) VALUES (1, 1, 0, 0);
            UPDATE pg_class SET reltuples = 100000000, relpages = 1 WHERE oid = 'outcome'::regclass;
            ANALYZE request;
            """);
        await using (IAcceptStore accept = await Fixture.Provider.OpenAcceptAsync(ConnectionString, Cancel))
        {
            AcceptRequest request = await RequestAsync(Item("alice"));
            Assert.Equal([new AcceptResult(AcceptStatus.Accepted)], await accept.AcceptAsync([new AcceptUnit([request])], Cancel));
            for (int i = 0; i < 3; i++)
            {
                Assert.Equal(RequestState.Pending, (await accept.ReadStatusAsync(request.RequestId, Cancel))?.State);
            }
        }
        // Sessions report their reads at the latest when they end. The expected reads are one index scan for the acceptance, and one for
        // each status.
        while (await CountAsync("SELECT sum(idx_scan)::bigint FROM pg_stat_user_indexes WHERE relname = 'request'") < 4)
        {
            await Task.Delay(50, Cancel);
        }
        Assert.InRange(await CountAsync("SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'ix_request_seq'"), 0,
            Requests / 10);
    }

    private Task<long> CountAsync(string sql) => Cluster.CountAsync(ConnectionString, sql);
}
