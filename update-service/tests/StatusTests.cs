using System.Diagnostics;
using Optiks.Storage;
using Optiks.Tests.Shared;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>Tests the status of a request, both at once and after waiting for its result.</summary>
public sealed class StatusTests
{
    [Fact]
    public async Task A_request_is_pending_then_published_with_a_link_to_its_proof()
    {
        await using Service service = await Service.StartAsync();
        await service.Log.StartAsync();
        Guid id = await AcceptAsync(service, """ "items":[{"key":"bob","value":"1"},{"key":"alice","value":"2"}] """);
        Answer pending = await service.GetAsync($"/v1/updates/{id}");
        Assert.Equal(200, pending.Status);
        Assert.Equal($$"""{"request_id":"{{id}}","status":"pending"}""", pending.Json.GetRawText());
        Assert.True(pending.Headers.CacheControl?.NoStore);

        // A committed epoch does not count as published, because it may not be signed yet.
        ulong epoch = await service.Log.CommitAsync();
        Assert.Equal("pending", (await service.GetAsync($"/v1/updates/{id}")).Text("status"));
        await service.Log.FinishAsync(epoch);
        Answer published = await service.GetAsync($"/v1/updates/{id}");
        Assert.Equal(
            $$"""{"request_id":"{{id}}","status":"published","epoch":1,"items":[{"item":0,"structure":"keys","key_b64":"Ym9i","version":1,"period":0},"""
            + """{"item":1,"structure":"keys","key_b64":"YWxpY2U","version":1,"period":0}]"""
            + ""","proof":{"method":"POST","href":"/v1/lookup?min_epoch=1","epoch":"/v1/epochs/1?min_epoch=1"}}""",
            published.Json.GetRawText());
    }

    [Fact]
    public async Task What_the_boards_checkpoint_does_not_reach_is_pending()
    {
        await using Service service = await Service.StartAsync();
        await service.Log.StartAsync();
        string board = Path.Combine(service.Data.Board, "log");
        DataFolder.CreateFolder(board);
        Guid id = await AcceptAsync(service, """ "key":"alice","value":"1" """);
        await service.Log.PublishAsync();
        Assert.Equal("pending", (await service.GetAsync($"/v1/updates/{id}")).Text("status"));
        BoardFiles.WriteCheckpoint(service.Data, board, size: 1);
        Assert.Equal("pending", (await service.GetAsync($"/v1/updates/{id}?wait=1")).Text("status"));
        Task<Answer> waiting = service.GetAsync($"/v1/updates/{id}?wait=60");
        await Task.Delay(100, TestContext.Current.CancellationToken);
        Assert.False(waiting.IsCompleted);
        BoardFiles.WriteCheckpoint(service.Data, board, size: 2);
        Assert.Equal("published", (await waiting).Text("status"));
        // A request that was published stays published even if the checkpoint is lost.
        File.Delete(Path.Combine(board, "checkpoint"));
        Assert.Equal("published", (await service.GetAsync($"/v1/updates/{id}")).Text("status"));
    }

    [Fact]
    public async Task A_refused_request_says_why()
    {
        await using Service service = await Service.StartAsync();
        await service.Log.StartAsync();
        Guid first = await AcceptAsync(service, """ "key":"alice","value":"1","expected":{"period":0,"version":0} """);
        Guid second = await AcceptAsync(
            service, """ "items":[{"key":"bob","value":"1"},{"key":"alice","value":"2","expected":{"period":0,"version":0}}] """);
        await service.Log.PublishAsync();
        await service.Log.PublishAsync();
        Assert.Equal("published", (await service.GetAsync($"/v1/updates/{first}")).Text("status"));
        Assert.Equal(
            $$$"""{"request_id":"{{{second}}}","status":"refused","reason":"expected-version","item":1,"current":{"period":0,"version":1}}""",
            (await service.GetAsync($"/v1/updates/{second}")).Json.GetRawText());
    }

    [Fact]
    public async Task Many_callers_wait_on_one_watcher()
    {
        var engine = new WrappedEngine();
        await using Service service = await Service.StartAsync(engine: engine);
        await service.Log.StartAsync();
        Guid[] ids =
            [.. await Task.WhenAll(Enumerable.Range(0, 50).Select(i => AcceptAsync(service, $""" "key":"key-{i}","value":"v" """)))];
        Task<Answer>[] waiting = [.. ids.Select(id => service.GetAsync($"/v1/updates/{id}?wait=60"))];
        await Eventually.IsAsync(() => engine.StatusReads >= ids.Length);
        await Task.Delay(500, TestContext.Current.CancellationToken);
        Assert.DoesNotContain(waiting, answer => answer.IsCompleted);
        // As long as no epoch is published, no waiting caller asks the database again, except perhaps once because of epoch 0.
        Assert.InRange(engine.StatusReads, ids.Length, 2 * ids.Length);
        await service.Log.PublishAsync();
        Assert.All(await Task.WhenAll(waiting), answer => Assert.Equal("published", answer.Text("status")));
        Assert.InRange(engine.StatusReads, 2 * ids.Length, 3 * ids.Length);
    }

    [Fact]
    public async Task Waiting_ends_at_its_time_and_at_once_when_there_is_nothing_to_wait_for()
    {
        await using Service service = await Service.StartAsync();
        await service.Log.StartAsync();
        Guid id = await AcceptAsync(service, """ "key":"alice","value":"v" """);
        long start = Stopwatch.GetTimestamp();
        Assert.Equal("pending", (await service.GetAsync($"/v1/updates/{id}?wait=1")).Text("status"));
        Assert.InRange(Stopwatch.GetElapsedTime(start), TimeSpan.FromSeconds(0.9), TimeSpan.FromSeconds(30));

        await service.Log.PublishAsync();
        Assert.Equal("published", (await service.GetAsync($"/v1/updates/{id}?wait=60")).Text("status"));
        (await service.GetAsync($"/v1/updates/{Ids.New()}?wait=60")).IsProblem("not-found", 404, null);
    }

    [Fact]
    public async Task An_epoch_without_the_request_does_not_end_the_waiting()
    {
        await using Service service = await Service.StartAsync();
        await service.Log.StartAsync();
        Guid first = await AcceptAsync(service, """ "key":"alice","value":"1" """);
        Guid second = await AcceptAsync(service, """ "key":"alice","value":"2" """);
        Task<Answer> waiting = service.GetAsync($"/v1/updates/{second}?wait=60");
        await service.Log.PublishAsync();
        Assert.Equal("published", (await service.GetAsync($"/v1/updates/{first}?wait=60")).Text("status"));
        Assert.False(waiting.IsCompleted);
        await service.Log.PublishAsync();
        Answer published = await waiting;
        Assert.Equal(2, published.Json.GetProperty("epoch").GetInt32());
        Assert.Equal(2, published.Json.GetProperty("items")[0].GetProperty("version").GetInt32());
    }

    [Fact]
    public async Task Stopping_ends_the_waiting()
    {
        var engine = new WrappedEngine();
        await using Service service = await Service.StartAsync(engine: engine);
        Guid id = await AcceptAsync(service, """ "key":"alice","value":"v" """);
        Task<Answer> waiting = service.GetAsync($"/v1/updates/{id}?wait=60");
        await Eventually.IsAsync(() => engine.StatusReads > 0);
        await service.StopAsync();
        Assert.Equal("pending", (await waiting).Text("status"));
    }

    [Theory]
    [InlineData("nonsense", "", "{request_id}")]
    [InlineData("8f3a3c1e-6d1b-4c7e-9b1a-2f6f5a1d2c3b", "", "{request_id}")]
    [InlineData("ID", "?wait=-1", "?wait")]
    [InlineData("ID", "?wait=61", "?wait")]
    [InlineData("ID", "?wait=01", "?wait")]
    [InlineData("ID", "?wait=1.5", "?wait")]
    [InlineData("ID", "?wait=", "?wait")]
    [InlineData("ID", "?wait=x", "?wait")]
    [InlineData("ID", "?wait=1&wait=2", "?wait")]
    [InlineData("ID", "?waits=1", "?waits")]
    public async Task A_malformed_question_is_refused(string id, string query, string field)
    {
        await using Service service = await Service.StartAsync();
        Guid known = await AcceptAsync(service, """ "key":"alice","value":"v" """);
        (await service.GetAsync($"/v1/updates/{id.Replace("ID", $"{known}", StringComparison.Ordinal)}{query}")).IsProblem(
            "malformed-request", 400, field);
        Assert.Equal(200, (await service.GetAsync($"/v1/updates/{known}?wait=0")).Status);
    }

    [Fact]
    public async Task A_database_that_does_not_answer_is_unavailable()
    {
        var engine = new WrappedEngine();
        await using Service service = await Service.StartAsync(engine: engine);
        Guid id = await AcceptAsync(service, """ "key":"alice","value":"v" """);
        engine.StatusFailure = new StorageUnavailableException("down");
        (await service.GetAsync($"/v1/updates/{id}")).IsProblem("unavailable", 503, null);
        int reads = engine.StatusReads;
        Assert.True(reads > 1, "It was not tried again.");
        // The circuit breaker for status reads is open, so the service does not ask the database. Accepting updates has another circuit
        // breaker.
        (await service.GetAsync($"/v1/updates/{id}")).IsProblem("unavailable", 503, null);
        Assert.Equal(reads, engine.StatusReads);
        _ = await AcceptAsync(service, """ "key":"bob","value":"v" """);
        engine.StatusFailure = null;
        await Eventually.IsAsync(async () => (await service.GetAsync($"/v1/updates/{id}")).Status == 200);
    }

    private static async Task<Guid> AcceptAsync(Service service, string members)
    {
        Answer accepted = await service.PostAsync($$"""{{{members}}}""");
        Assert.Equal(202, accepted.Status);
        return accepted.Json.GetProperty("request_id").GetGuid();
    }
}
