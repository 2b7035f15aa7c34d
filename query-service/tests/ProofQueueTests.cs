using System.Buffers;
using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;
using Optiks.QueryService.Proving;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Tests;

/// <summary>Tests answers whose VRF proofs are not cached.</summary>
public sealed class ProofQueueTests
{
    private readonly Replica _replica;

    public ProofQueueTests(PublishedLog published)
    {
        ArgumentNullException.ThrowIfNull(published);
        _replica = published.Replica;
    }

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(0)]
    [InlineData(1 << 20)]
    public async Task Concurrent_requests_each_get_their_own_answer(int cacheBytes)
    {
        await using Replica replica =
            await Replica.StartAsync(_replica.Log, $"concurrent-{cacheBytes}", "--Optiks:QueryService:VrfCacheBytes", $"{cacheBytes}");
        await replica.WaitForEpochAsync((ulong)replica.Log.Records.Count - 1);
        await Parallel.ForAsync(0, 200, new ParallelOptions { MaxDegreeOfParallelism = 40, CancellationToken = Cancellation },
            async (i, _) =>
        {
            string[] names = [$"user{i % 20}", $"absent{i % 50}"];
            byte[] answer = await replica.OctetsAsync(Ask("/v1/lookup", MediaTypes.Lookup, names));
            LookupVerdict verdict = Verify(replica, answer, names);
            Assert.Equal(Reason.Valid, verdict.Reason);
            Assert.Equal($"value {i % 20}", Encoding.UTF8.GetString(answer[verdict.Keys[0].Value!.Value]));
            Assert.Equal(0UL, verdict.Keys[1].Version);
            if (i % 10 == 0)
            {
                byte[] monitored = await replica.OctetsAsync(
                    Replica.Post("/v1/monitor", [new Query(Encoding.UTF8.GetBytes(names[0]), 0, 1)], MediaTypes.Monitor), asOwner: true);
                using ByteStrings keys = Keys(names[..1]);
                Assert.Equal(Reason.Valid, Verifier.Versions(replica.Context(), keys, [default], monitored).Reason);
            }
        });
    }

    [Fact]
    public async Task What_is_cached_does_not_wait_and_a_caller_whose_half_of_the_queue_is_full_is_refused_alone()
    {
        // The queue has no workers, so every query waits until the test disposes of the queue.
        await using Replica replica = await Replica.StartAsync(
            _replica.Log, "full",
            services => services.Replace(ServiceDescriptor.Singleton(provider =>
                new ProofQueue(provider.GetRequiredService<CurrentEpoch>(), provider.GetRequiredService<QueryMetrics>(), workers: 0))),
            _ => { },
            // In this test, all waiting requests come from one address, and one caller may take only half of the memory for answers. So
            // there must be at least twice as much memory as all these answers need.
            "--Optiks:QueryService:AnswerBytes", $"{1L << 30}");
        await replica.WaitForEpochAsync((ulong)replica.Log.Records.Count - 1);
        string[] names = [.. Enumerable.Range(0, QueryBatch.MaxCount).Select(i => $"absent{i}")];
        // The one waiting query comes from the service's own rehearsal.
        Assert.Equal(1, replica.Services.GetRequiredService<QueryMetrics>().WaitingQueries!());
        var waiting = new List<Task<byte[]>> { replica.OctetsAsync(Ask("/v1/lookup", MediaTypes.Lookup, names[1..])) };
        for (int i = 1; i < ProofQueue.MaxWaiting / 2 / QueryBatch.MaxCount; i++)
        {
            waiting.Add(replica.OctetsAsync(Ask("/v1/lookup", MediaTypes.Lookup, names)));
        }
        QueryMetrics metrics = replica.Services.GetRequiredService<QueryMetrics>();
        while (metrics.WaitingQueries!() < ProofQueue.MaxWaiting / 2)
        {
            await Task.Delay(10, Cancellation);
        }
        await replica.ProblemAsync(Ask("/v1/lookup", MediaTypes.Lookup, "one more"), ProblemTypes.Overloaded);
        Task<byte[]> other = replica.OctetsAsync(Ask("/v1/lookup", MediaTypes.Lookup, "one more"), asOwner: true);
        while (metrics.WaitingQueries!() < (ProofQueue.MaxWaiting / 2) + 1)
        {
            Assert.False(other.IsCompleted);
            await Task.Delay(10, Cancellation);
        }

        Cache(replica, "alice");
        byte[] cached = await replica.OctetsAsync(Ask("/v1/lookup", MediaTypes.Lookup, "alice"));
        Assert.Equal(Reason.Valid, Verify(replica, cached, "alice").Reason);
        Assert.DoesNotContain(waiting, task => task.IsCompleted);

        replica.Services.GetRequiredService<ProofQueue>().Dispose();
        byte[][] answers = await Task.WhenAll(waiting);
        Assert.Equal(Reason.Valid, Verify(replica, await other, "one more").Reason);
        Assert.Equal(Reason.Valid, Verify(replica, answers[0], names[1..]).Reason);
        Assert.All(answers[1..], answer => Assert.Equal(Reason.Valid, Verify(replica, answer, names).Reason));
    }

    [Fact]
    public async Task Requests_that_were_given_up_are_not_answered()
    {
        using IServiceScope scope = _replica.Services.CreateScope();
        CurrentEpoch current = scope.ServiceProvider.GetRequiredService<CurrentEpoch>();
        using var meters = new QueryMetrics(scope.ServiceProvider.GetRequiredService<System.Diagnostics.Metrics.IMeterFactory>(), current,
            _replica.Services.GetRequiredService<FollowerState>(), _replica.Services.GetRequiredService<AnswerBudget>());
        using var given = new CancellationTokenSource();
        using var lease = new AnswerLease(new AnswerBudget(1 << 20), 0, 0);
        using var queries = new QueryBatch();
        queries.Add("nobody"u8, 0, 0);
        var request = new KeyRequest(
            QueryKind.Lookup, queries, new AnswerTerms(default, default, MediaTypes.Lookup, UsesCache: true, lease));
        Task<ProvenAnswer> up;
        Task<ProvenAnswer> wanted;
        using (var queue = new ProofQueue(current, meters, workers: 0))
        {
            up = queue.AnswerAsync(request, given.Token);
            wanted = queue.AnswerAsync(request, Cancellation);
            await given.CancelAsync();
        }
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => up);
        using ProvenAnswer answer = await wanted;
        Assert.True(answer.Body.Length > 0);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Anonymous_callers_can_be_kept_from_what_was_asked_before(bool hides)
    {
        await using Replica replica =
            await Replica.StartReadyAsync(_replica.Log, $"hides-{hides}", "--Optiks:QueryService:HideCacheFromAnonymous", $"{hides}");
        (ulong Hits, ulong Misses) Counts()
        {
            DirectoryStats stats = replica.Services.GetRequiredService<QueryMetrics>().Directory!()!.Value;
            return (stats.VrfCacheHits, stats.VrfCacheMisses);
        }
        async Task<(bool Saw, bool Filled)> AskAsync(bool asOwner)
        {
            (ulong hits, ulong misses) = Counts();
            byte[] answer = await replica.OctetsAsync(Ask("/v1/lookup", MediaTypes.Lookup, "user1"), asOwner);
            Assert.Equal(Reason.Valid, Verify(replica, answer, "user1").Reason);
            (ulong hitsAfter, ulong missesAfter) = Counts();
            return (hitsAfter > hits, missesAfter > misses);
        }
        Assert.Equal((false, true), await AskAsync(asOwner: false));
        // The first answer was to a caller without a key. The proofs of this answer are in the cache, unless the replica hides the cache
        // from such callers.
        Assert.Equal((!hides, hides), await AskAsync(asOwner: false));
        Assert.Equal((!hides, hides), await AskAsync(asOwner: true));
        // A caller with a key finds proofs in the cache in both modes. A replica that hides the cache still hides them from callers without
        // a key.
        Assert.Equal((true, false), await AskAsync(asOwner: true));
        Assert.Equal((!hides, hides), await AskAsync(asOwner: false));
    }

    private static HttpRequestMessage Ask(string path, string type, params string[] names) =>
        Replica.Post(path, [.. names.Select(name => new Query(Encoding.UTF8.GetBytes(name), 0, 0))], type);

    private static ByteStrings Keys(params string[] names)
    {
        var keys = new ByteStrings();
        Array.ForEach(names, name => keys.Add(Encoding.UTF8.GetBytes(name)));
        return keys;
    }

    private static void Cache(Replica replica, string name)
    {
        ServedEpoch epoch = replica.Services.GetRequiredService<CurrentEpoch>().AcquireFresh();
        using ByteStrings keys = Keys(name);
        using (ProofBatch proofs = epoch.View.CreateProofs(StructureId.Keys))
        {
            proofs.WriteLookups(keys, [0], [0], new ArrayBufferWriter<byte>(), new ulong[1]);
        }
        epoch.Release();
    }

    private static LookupVerdict Verify(Replica replica, byte[] answer, params string[] names)
    {
        using ByteStrings keys = Keys(names);
        return Verifier.Lookup(replica.Context(), keys, new KnownKey[names.Length], answer);
    }
}
