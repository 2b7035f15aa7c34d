using System.Net;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Logging;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.QueryService.Proving;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;
using Optiks.Tests.Shared;

namespace Optiks.QueryService.Tests;

/// <summary>
/// Tests a replica whose own files are damaged while it runs. The replica must report the damage, answer what it can, and make the files
/// again from the database.
/// </summary>
public sealed class DamageTests : TwoEpochTests
{
    private const string Name = "damaged";

    private readonly LoggedEvents _events = new();

    private string Folder => Path.Combine(Log.Folder.Replicas, Name);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_changed_bit_in_the_leaf_log_is_mended_from_the_database(bool isStored)
    {
        await using Replica replica = await StartAsync(isStored);
        await FileDamage.FlipAsync(Path.Combine(Folder, "leaves"), "two"u8.ToArray());
        await replica.ProblemAsync(Replica.Post("/v1/lookup", """{"key": "alice"}"""), ProblemTypes.Unavailable);
        Assert.True(_events.Has("FilesDamaged"));
        Assert.Equal(HttpStatusCode.OK, (await replica.SendAsync(Replica.Post("/v1/lookup", """{"key": "bob"}"""))).StatusCode);
        await replica.WaitAsync(async () =>
            (await replica.SendAsync(Replica.Post("/v1/lookup", """{"key": "alice"}"""))).IsSuccessStatusCode);
        await replica.WaitForEpochAsync(2);
        await Log.PublishAsync(("alice", "three"));
        await replica.WaitForEpochAsync(3);
        Assert.Equal(HttpStatusCode.OK, (await replica.SendAsync(Replica.Post("/v1/lookup", """{"key": "alice"}"""))).StatusCode);
        Assert.Equal(1, _events.Count("FilesDamaged"));
    }

    [Fact]
    public async Task A_replica_is_not_ready_before_its_files_are_made_again()
    {
        await using Replica replica = await StartAsync(isStored: false);
        // Without its database the replica cannot make the files again.
        await Log.WithDatabaseClosedAsync(_ => { });
        var damage = replica.Services.GetRequiredService<DamagedFiles>();
        Assert.True(damage.Report(damage.Generation, 0));
        Assert.False(damage.Report(damage.Generation, 0));
        await replica.WaitAsync(() => !damage.Any);
        await replica.WaitForEpochAsync(2);
        Assert.False(damage.Report(damage.Generation - 1, 0));
        Assert.False(damage.Any);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task So_is_one_in_a_period_that_has_ended(bool isStored)
    {
        await Log.NextPeriodAsync();
        await using Replica replica = await StartAsync(isStored);
        await replica.WaitAsync(() => _events.Has("EndedPeriodReady"));
        HttpRequestMessage Ask() => Replica.Post("/v1/history?period=0", """{"key": "alice"}""");
        await replica.WaitAsync(async () => (await replica.SendAsync(Ask(), asOwner: true)).IsSuccessStatusCode);
        await FileDamage.FlipAsync(Path.Combine(Folder, "leaves"), "two"u8.ToArray());
        await replica.ProblemAsync(Ask(), ProblemTypes.Unavailable, asOwner: true);
        await replica.WaitAsync(async () => (await replica.SendAsync(Ask(), asOwner: true)).IsSuccessStatusCode);
        await replica.WaitForEpochAsync(3);
        Assert.Equal(1, _events.Count("FilesDamaged"));
    }

    [Fact]
    public async Task Others_of_a_batch_do_without_the_request_that_meets_the_damage()
    {
        await Log.PublishItemsAsync(
            [TestLog.Item(StructureId.Usernames, "al", "alice"u8.ToArray()),
                TestLog.Item(StructureId.Devices, "alice", DeviceList.Encode(["phone"u8.ToArray()]))]);
        // This queue has no workers, so it collects all requests in one batch. It answers them when the test disposes of the queue.
        await using Replica replica = await Replica.StartAsync(
            Log, Name,
            services => services.Replace(ServiceDescriptor.Singleton(provider =>
                new ProofQueue(provider.GetRequiredService<CurrentEpoch>(), provider.GetRequiredService<QueryMetrics>(), workers: 0))),
            _ => { });
        await replica.WaitForEpochAsync(3);
        QueryMetrics metrics = replica.Services.GetRequiredService<QueryMetrics>();
        async Task<Task<HttpResponseMessage>> WaitingAsync(HttpRequestMessage request)
        {
            int before = metrics.WaitingQueries!();
            Task<HttpResponseMessage> answer = replica.SendAsync(request);
            await replica.WaitAsync(() => metrics.WaitingQueries!() > before);
            return answer;
        }

        // One request of the service's own rehearsal already waits in the queue.
        await replica.WaitAsync(() => metrics.WaitingQueries!() == 1);
        Task<HttpResponseMessage> before = await WaitingAsync(Replica.Post("/v1/lookup", """{"key": "nobody"}"""));
        Task<HttpResponseMessage> damaged = await WaitingAsync(Replica.Post("/v1/users/lookup", """{"username": "al"}"""));
        Task<HttpResponseMessage> after = await WaitingAsync(Replica.Post("/v1/lookup", """{"key": "no one"}"""));
        // A lookup of users reads the device lists before it waits in the queue, so the test damages the file only now.
        await FileDamage.FlipAsync(Path.Combine(Folder, "leaves"), "phone"u8.ToArray());
        replica.Services.GetRequiredService<ProofQueue>().Dispose();
        Assert.Equal(
            [HttpStatusCode.OK, HttpStatusCode.ServiceUnavailable, HttpStatusCode.OK],
            (await Task.WhenAll(before, damaged, after)).Select(answer => answer.StatusCode));
    }

    private async Task<Replica> StartAsync(bool isStored)
    {
        Replica replica = await Replica.StartAsync(
            Log, Name, services => services.AddSingleton<ILoggerProvider>(_events), _ => { },
            isStored ? ["--Optiks:QueryService:NodeCacheBytes", "1048576"] : []);
        await replica.WaitForEpochAsync((ulong)Log.Records.Count - 1);
        return replica;
    }
}
