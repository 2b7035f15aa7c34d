using Microsoft.Extensions.DependencyInjection;
using Npgsql;
using Optiks.Storage.PostgreSql;
using Optiks.Storage.PostgreSql.Tests;
using Optiks.Tests.Shared;
using Optiks.UpdateService.Accepting;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>
/// Tests a PostgreSQL server that keeps its connections open but does not answer. The service must stay within its bounds, answer every
/// caller, and recover afterwards.
/// </summary>
[Collection(nameof(Cluster))]
[Trait("Level", "Deep")]
public sealed class StoppedDatabaseTests : IAsyncLifetime
{
    private const int QueuedCallers = 32;
    private const long QueuedOctets = 1L << 20;
    private const int Callers = 120;

    private string _connectionString = "";

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync() => _connectionString = await Cluster.Current.CreateMigratedDatabaseAsync();

    public async ValueTask DisposeAsync()
    {
        await Cluster.Current.DropDatabaseAsync(_connectionString);
        GC.SuppressFinalize(this);
    }

    [Fact]
    public async Task A_stopped_server_leaves_the_queue_bounded_and_every_caller_answered()
    {
        await using Service service = await StartAsync();
        CommitQueue queue = service.Services.GetRequiredService<CommitQueue>();
        Assert.Equal(202, (await service.PostAsync(Body(Ids.New(), "before"))).Status);
        Guid[] ids = [.. Enumerable.Range(0, Callers).Select(_ => Ids.New())];
        // All values together have 7 MiB, so both the bytes and the number of callers exceed the queue's limits.
        string value = new('v', 60_000);
        long mostOctets = 0;
        long mostCallers = 0;
        Answer[] answers;
        await Cluster.Current.PauseAsync();
        try
        {
            Task<Answer[]> all = Task.WhenAll(ids.Select((id, i) => service.PostAsync(Body(id, $"key-{i}", value))));
            while (!all.IsCompleted)
            {
                mostOctets = Math.Max(mostOctets, queue.Space.Used);
                mostCallers = Math.Max(mostCallers, service.Gauge("optiks.update.queue.callers"));
                _ = await Task.WhenAny(all, Task.Delay(5, Cancel));
            }
            answers = await all;
        }
        finally
        {
            await Cluster.Current.ResumeAsync();
        }
        Assert.All(
            answers,
            answer => answer.IsProblem(
                answer.Text("type")!.EndsWith(":overloaded", StringComparison.Ordinal) ? "overloaded" : "unavailable", 503, null));
        Assert.Contains(answers, answer => answer.Text("type") == "urn:optiks:problem:overloaded");
        Assert.Contains(answers, answer => answer.Text("type") == "urn:optiks:problem:unavailable");
        Assert.InRange(mostOctets, 60_000, QueuedOctets);
        Assert.InRange(mostCallers, 1, QueuedCallers);

        // Each request must be stored exactly once, no matter which answers its callers got.
        for (int i = 0; i < ids.Length; i++)
        {
            await RepeatAsync(service, Body(ids[i], $"key-{i}", value));
        }
        Assert.Equal(0, queue.Space.Used);
        Assert.Equal(Callers + 1, await CountAsync("request"));
        Assert.Equal(Callers + 1, await CountAsync("pending"));
        Assert.Equal(200, (await service.GetAsync("/health/ready")).Status);
    }

    [Fact]
    public async Task A_lock_that_is_not_given_up_holds_accepts_and_nothing_else()
    {
        await using Service service = await StartAsync();
        Guid known = Ids.New();
        Assert.Equal(202, (await service.PostAsync(Body(known, "before"))).Status);
        Guid id = Ids.New();
        await using (NpgsqlConnection holder = await HoldAcceptLockAsync())
        {
            Task<Answer> held = service.PostAsync(Body(id, "alice"));
            await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.size") > 0);
            Assert.Equal("pending", (await service.GetAsync($"/v1/updates/{known}")).Text("status"));
            Assert.False(held.IsCompleted);
            (await held).IsProblem("unavailable", 503, null);
        }
        await RepeatAsync(service, Body(id, "alice"));
        Assert.Equal(2, await CountAsync("request"));
    }

    [Fact]
    public async Task Stopping_stores_and_answers_what_waits_for_the_database()
    {
        await using Service service = await StartAsync();
        Task<Answer>[] answers;
        Task stop;
        await using (NpgsqlConnection holder = await HoldAcceptLockAsync())
        {
            Task<Answer> first = service.PostAsync(Body(Ids.New(), "first"));
            await Eventually.IsAsync(
                () => service.Gauge("optiks.update.queue.size") > 0 && service.Gauge("optiks.update.queue.callers") == 0);
            answers = [first, service.PostAsync(Body(Ids.New(), "second")), service.PostAsync(Body(Ids.New(), "third"))];
            await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.callers") == 2);
            stop = service.StopAsync();
        }
        Assert.All(await Task.WhenAll(answers), answer => Assert.Equal(202, answer.Status));
        await stop;
        Assert.Equal(3, await CountAsync("request"));
    }

    [Fact]
    public async Task Stopping_while_the_server_is_stopped_answers_too()
    {
        await using Service service = await StartAsync();
        Assert.Equal(202, (await service.PostAsync(Body(Ids.New(), "before"))).Status);
        await Cluster.Current.PauseAsync();
        try
        {
            Task<Answer> first = service.PostAsync(Body(Ids.New(), "first"));
            await Eventually.IsAsync(
                () => service.Gauge("optiks.update.queue.size") > 0 && service.Gauge("optiks.update.queue.callers") == 0);
            Task<Answer> second = service.PostAsync(Body(Ids.New(), "second"));
            await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.callers") == 1);
            Task stop = service.StopAsync();
            (await first).IsProblem("unavailable", 503, null);
            Assert.Equal(503, (await second).Status);
            await stop;
        }
        finally
        {
            await Cluster.Current.ResumeAsync();
        }
    }

    private static string Body(Guid id, string key, string value = "v") =>
        $$"""{"request_id":"{{id}}","key":"{{key}}","value":"{{value}}"}""";

    // Sends an update until it is durable, always with the same id, as a client does.
    private static async Task RepeatAsync(Service service, string body)
    {
        Answer answer = await service.PostAsync(body);
        while (answer.Status == 503)
        {
            await Task.Delay(50, Cancel);
            answer = await service.PostAsync(body);
        }
        Assert.Equal(202, answer.Status);
    }

    private Task<Service> StartAsync() => Service.StartAsync(
        new()
        {
            ["Optiks:Storage:Provider"] = "postgresql",
            ["Optiks:Storage:ConnectionString"] = _connectionString,
            ["Optiks:UpdateService:QueuedCallers"] = $"{QueuedCallers}",
            ["Optiks:UpdateService:QueuedOctets"] = $"{QueuedOctets}",
            ["Optiks:UpdateService:MaxWaitSeconds"] = "3",
            // This setting makes each commit take only one update, so that other updates wait for their commits.
            ["Optiks:UpdateService:CommitUpdates"] = "1",
        },
        new PostgreSqlStorageProvider());

    private async Task<NpgsqlConnection> HoldAcceptLockAsync()
    {
        var holder = new NpgsqlConnection(_connectionString + ";Pooling=false");
        await holder.OpenAsync(Cancel);
        // The statement takes the lock that every update-service takes for a commit (AdvisoryLocks.Accept).
        await using var take = new NpgsqlCommand("SELECT pg_advisory_lock(1330664523, 2)", holder);
        _ = await take.ExecuteNonQueryAsync(Cancel);
        return holder;
    }

    private Task<long> CountAsync(string table) => Cluster.CountAsync(_connectionString, $"SELECT count(*) FROM {table}");
}
