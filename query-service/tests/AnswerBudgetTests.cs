using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Tests;

/// <summary>Tests that the memory for answers is bounded even if clients read slowly, and that honest clients still get memory.</summary>
public sealed class AnswerBudgetTests
{
    private const long Total = 32L << 20;

    // The number of values, each with 64 KiB, of an answer that is just shorter than the greatest length.
    private const int LongCount = 56;

    private readonly PublishedLog _published;

    public AnswerBudgetTests(PublishedLog published) => _published = published;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public void Nobody_gets_more_than_is_left_for_everyone_else()
    {
        var budget = new AnswerBudget(600);
        Assert.False(budget.TryTake(1, 301));
        Assert.True(budget.TryTake(1, 300));
        Assert.False(budget.TryTake(1, 1));
        // The second caller gets at most half of the memory that the first caller left. The first caller may keep its 300 bytes, although
        // the budget would now refuse a new request for 300 bytes.
        Assert.False(budget.TryTake(2, 151));
        Assert.True(budget.TryTake(2, 150));
        Assert.True(budget.TryTake(3, 75));
        Assert.Equal((525, 3), (budget.Used, budget.Refusals));
        budget.Return(1, 300);
        Assert.False(budget.TryTake(1, 376));
        Assert.True(budget.TryTake(1, 187));
        budget.Return(1, 187);
        budget.Return(2, 150);
        budget.Return(3, 75);
        Assert.Equal(0, budget.Used);
        Assert.True(budget.TryTake(3, 300));
    }

    [Fact]
    public void However_many_take_all_they_can_get_a_newcomer_finds_room()
    {
        var budget = new AnswerBudget(1 << 20);
        for (int caller = 0; caller < 60; caller++)
        {
            while (budget.TryTake(caller, 1 << 10))
            {
            }
        }
        Assert.True(budget.Used <= budget.Total);
        Assert.True(budget.TryTake(1000, 1));
    }

    [Fact]
    public void A_lease_counts_what_is_beyond_its_own_and_gives_all_of_it_back()
    {
        var budget = new AnswerBudget(1000);
        using (var lease = new AnswerLease(budget, 1, own: 100))
        {
            lease.Take(60);
            lease.Take(40);
            Assert.Equal(0, budget.Used);
            lease.Take(50);
            Assert.Equal(50, budget.Used);
            Assert.Equal(ProblemTypes.Overloaded, Assert.Throws<ProblemException>(() => lease.Take(500)).Problem.Type);
            Assert.Equal(50, budget.Used);
            lease.Return(120);
            Assert.Equal(0, budget.Used);
            lease.Take(170);
            Assert.Equal(100, budget.Used);
        }
        Assert.Equal(0, budget.Used);
    }

    [Trait("Level", "Deep")]
    [Fact]
    public async Task Slow_readers_hold_no_more_than_their_share_and_are_ended()
    {
        await using Replica replica = await StartAsync("slow");
        AnswerBudget budget = replica.Services.GetRequiredService<AnswerBudget>();
        var readers = new List<SlowReader>();
        try
        {
            int answered = 0;
            for (int i = 0; i < 16; i++)
            {
                readers.Add(await SendAsync(replica, LongCount));
                int status = await readers[^1].StatusAsync();
                Assert.True(status is 200 or 503, $"{status}");
                answered += status == 200 ? 1 : 0;
                Assert.InRange(budget.Used, 0, Total / 2);
            }
            // Each answer has 4 MiB, so only two to four of them fit into the caller's share.
            Assert.InRange(answered, 2, 4);
            Assert.True(budget.Refusals > 0);
            Assert.True(budget.Used > Total / 4);
            await replica.ProblemAsync(Ask("/v1/lookup", LongCount), ProblemTypes.Overloaded);
            // The service still sends ordinary answers to the same address, and long answers to other callers.
            for (int i = 0; i < 100; i++)
            {
                Assert.Equal(Reason.Valid, Verify(replica, await replica.OctetsAsync(Ask("/v1/lookup", 1, "alice")), 1, "alice"));
                await replica.JsonAsync(Replica.Post("/v1/lookup", """{"key": "alice"}"""));
            }
            Assert.Equal(Reason.Valid, Verify(replica, await replica.OctetsAsync(Ask("/v1/lookup", LongCount), asOwner: true), LongCount));
            // The clients keep their connections open, but the service disconnects clients that read nothing. Then other callers can use
            // their memory.
            await WaitUntilAllIsBackAsync(budget);
            Assert.Equal(Reason.Valid, Verify(replica, await replica.OctetsAsync(Ask("/v1/lookup", LongCount)), LongCount));
        }
        finally
        {
            readers.ForEach(reader => reader.Dispose());
        }
    }

    [Fact]
    public async Task A_proof_of_one_step_is_sent_as_it_is_read()
    {
        await using TestLog log = await TestLog.CreateAsync();
        await log.PublishAsync(("alice", "one"));
        await log.PublishAsync(("alice", "two"));
        // This audit proof is longer than all memory for answers.
        byte[] proof = new byte[Total + 1];
        RandomNumberGenerator.Fill(proof);
        string path = Path.Combine(log.Folder.Board, "log", Tlog.AuditProofPath.ForEpoch(1));
        File.Delete(path);
        await File.WriteAllBytesAsync(path, proof, Cancellation);
        await using Replica replica = await Replica.StartReadyAsync(log, "steps", "--Optiks:QueryService:AnswerBytes", $"{Total}");
        AnswerBudget budget = replica.Services.GetRequiredService<AnswerBudget>();
        using (SlowReader slow = await SlowReader.SendAsync(
            replica.Client.BaseAddress!, "GET", "/v1/epochs/1/audit-proof", MediaTypes.AuditProof, null, null))
        {
            Assert.Equal(200, await slow.StatusAsync());
            Assert.Equal(0, budget.Used);
        }
        Assert.Equal(proof, await replica.OctetsAsync(Replica.Get("/v1/epochs/1/audit-proof", MediaTypes.AuditProof)));
        await replica.ProblemAsync(Replica.Get("/v1/epochs/1/audit-proof"), ProblemTypes.Overloaded);
        await replica.ProblemAsync(Replica.Get("/v1/epochs/0-2/audit-proof", MediaTypes.AuditProof), ProblemTypes.RangeTooLarge);
        await WaitUntilAllIsBackAsync(budget);
    }

    [Theory]
    [InlineData(MediaTypes.Lookup)]
    [InlineData(MediaTypes.Json)]
    public async Task A_long_lookup_asks_for_fewer_keys(string type)
    {
        Replica replica = _published.Replica;
        for (int i = 0; i < 2; i++)
        {
            // The first request computes the proofs, and the second one finds them in the cache.
            await replica.ProblemAsync(Ask("/v1/lookup", 64, type: type), ProblemTypes.AnswerTooLarge);
            await replica.OctetsAsync(Ask("/v1/lookup", LongCount, type: type));
        }
        await WaitUntilAllIsBackAsync(replica.Services.GetRequiredService<AnswerBudget>());
    }

    [Theory]
    [InlineData("/v1/history", MediaTypes.History)]
    [InlineData("/v1/monitor", MediaTypes.Monitor)]
    public async Task Pages_of_many_long_keys_ask_for_fewer(string path, string type)
    {
        Replica replica = _published.Replica;
        HttpRequestMessage AskFor(int count) =>
            Replica.Post(path, [.. Enumerable.Repeat(new Query("big"u8.ToArray(), 0, PublishedLog.BigVersions), count)], type);
        await replica.ProblemAsync(AskFor(140), ProblemTypes.AnswerTooLarge, asOwner: true);
        await replica.OctetsAsync(AskFor(100), asOwner: true);
        await replica.OctetsAsync(AskFor(1), asOwner: true);
    }

    [Theory]
    [InlineData("FFFFFFFFFFFFFFFF")]
    [InlineData("7FFFFFFFFFFFFFFF")]
    [InlineData("80000000")]
    [InlineData("1x")]
    public async Task Chunks_that_are_none_are_the_clients_fault(string size)
    {
        Uri server = _published.Replica.Client.BaseAddress!;
        using var client = new TcpClient();
        await client.ConnectAsync(server.Host, server.Port, Cancellation);
        await client.GetStream().WriteAsync(
            Encoding.ASCII.GetBytes(
                $"POST /v1/lookup HTTP/1.1\r\nHost: optiks\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n{size}\r\n"), Cancellation);
        byte[] line = new byte["HTTP/1.1 400".Length];
        await client.GetStream().ReadExactlyAsync(line, Cancellation);
        Assert.Equal("HTTP/1.1 400", Encoding.ASCII.GetString(line));
    }

    // Waits until no memory is in use. The wait is needed because a client may have its answer before the server has returned the answer's
    // memory.
    private static async Task WaitUntilAllIsBackAsync(AnswerBudget budget)
    {
        while (budget.Used > 0)
        {
            await Task.Delay(10, Cancellation);
        }
    }

    private Task<Replica> StartAsync(string name) =>
        Replica.StartReadyAsync(_published.Log, name, "--Optiks:QueryService:AnswerBytes", $"{Total}");

    private static Task<SlowReader> SendAsync(Replica replica, int count) =>
        SlowReader.SendAsync(replica.Client.BaseAddress!, "POST", "/v1/lookup", MediaTypes.Lookup, QueryList.Encode(Queries(count, "big")),
            MediaTypes.Query);

    private static Query[] Queries(int count, string key) => [.. Enumerable.Repeat(new Query(Encoding.UTF8.GetBytes(key), 0, 0), count)];

    private static HttpRequestMessage Ask(string path, int count, string key = "big", string type = MediaTypes.Lookup) =>
        Replica.Post(path, Queries(count, key), type);

    private static Reason Verify(Replica replica, byte[] answer, int count, string key = "big")
    {
        using var keys = new ByteStrings();
        for (int i = 0; i < count; i++)
        {
            keys.Add(Encoding.UTF8.GetBytes(key));
        }
        return Verifier.Lookup(replica.Context(), keys, new KnownKey[count], answer).Reason;
    }
}
