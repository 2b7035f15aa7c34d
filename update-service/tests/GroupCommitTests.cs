using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Tests.Shared;
using Optiks.UpdateService.Accepting;
using Optiks.UpdateService.Telemetry;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>Tests the queue: that one transaction serves many callers, the queue's limits, and the callers' answers when a commit
/// fails.</summary>
public sealed class GroupCommitTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Callers_that_wait_are_committed_together()
    {
        var engine = new WrappedEngine();
        var gate = new TaskCompletionSource();
        engine.BeforeAccept = () => gate.Task;
        await using Service service = await Service.StartAsync(engine: engine);
        Task<Answer> first = service.PostAsync(Body(0));
        await Eventually.IsAsync(() => engine.Groups.Count == 1);
        Task<Answer>[] answers = [first, .. Enumerable.Range(1, 39).Select(i => service.PostAsync(Body(i)))];
        await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.callers") == 39);
        Assert.DoesNotContain(answers, answer => answer.IsCompleted);
        gate.SetResult();
        Assert.All(await Task.WhenAll(answers), answer => Assert.Equal(202, answer.Status));
        Assert.Equal([1, 39], engine.Groups);
        Assert.Equal(40, service.Database.Requests());
    }

    [Fact]
    public async Task Large_groups_are_committed_beside_each_other_and_small_ones_alone()
    {
        var engine = new WrappedEngine { ConcurrentUpdates = 3 };
        var gate = new TaskCompletionSource();
        engine.BeforeAccept = () => gate.Task;
        await using Service service = await Service.StartAsync(engine: engine);
        var answers = new List<Task<Answer>>();
        for (int i = 1; i <= 2; i++)
        {
            answers.Add(service.PostAsync(List(3)));
            await Eventually.IsAsync(() => engine.Groups.Count == i);
        }
        // The third group is small, so the queue commits no further group until the third group is committed.
        answers.Add(service.PostAsync(List(2)));
        await Eventually.IsAsync(() => engine.Groups.Count == 3);
        answers.AddRange([service.PostAsync(List(3)), service.PostAsync(List(3))]);
        await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.callers") == 2);
        Assert.Equal(3, engine.Groups.Count);
        Assert.DoesNotContain(answers, answer => answer.IsCompleted);
        gate.SetResult();
        Assert.All(await Task.WhenAll(answers), answer => Assert.Equal(202, answer.Status));
        Assert.Equal(14, service.Database.Requests());

        static string List(int updates) => $"[{string.Join(',', Enumerable.Range(0, updates).Select(_ => Body(0)))}]";
    }

    [Fact]
    public async Task One_caller_s_refusal_is_not_another_s()
    {
        var engine = new WrappedEngine();
        var gate = new TaskCompletionSource();
        engine.BeforeAccept = () => gate.Task;
        await using Service service = await Service.StartAsync(engine: engine);
        Task<Answer> first = service.PostAsync(Body(0));
        await Eventually.IsAsync(() => engine.Groups.Count == 1);
        Guid old = Ids.New(-TimeSpan.FromHours(25));
        Task<Answer> refused = service.PostAsync($$"""{"request_id":"{{old}}","key":"old","value":"v"}""");
        Task<Answer> accepted = service.PostAsync(Body(1));
        await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.callers") == 2);
        gate.SetResult();
        Assert.Equal(202, (await first).Status);
        Assert.Equal(202, (await accepted).Status);
        (await refused).IsProblem("request-id-time", 400, "$.request_id");
        Assert.Equal(2, service.Database.Requests());
    }

    [Fact]
    public async Task A_caller_that_fills_its_half_of_the_queue_is_overloaded_and_another_is_not()
    {
        var engine = new WrappedEngine();
        var gate = new TaskCompletionSource();
        engine.BeforeAccept = () => gate.Task;
        await using Service service = await Service.StartAsync(new() { ["Optiks:UpdateService:QueuedCallers"] = "4" }, engine);
        Task<Answer> inCommit = service.PostAsync(Body(0));
        await Eventually.IsAsync(() => engine.Groups.Count == 1);
        Task<Answer>[] waiting = [service.PostAsync(Body(1)), service.PostAsync(Body(2))];
        await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.callers") == 2);
        // The request must be refused at once. If it were accepted, it would wait for the commit, which waits for this test.
        (await service.PostAsync(Body(3)).WaitAsync(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken)).IsProblem("overloaded",
            503, null);
        waiting = [.. waiting, service.PostAsSecondAsync(Body(4))];
        await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.callers") == 3);
        (await service.PostAsSecondAsync(Body(5))).IsProblem("overloaded", 503, null);
        gate.SetResult();
        Assert.Equal(202, (await inCommit).Status);
        Assert.All(await Task.WhenAll(waiting), answer => Assert.Equal(202, answer.Status));
        Assert.Equal(202, (await service.PostAsync(Body(3))).Status);
    }

    [Fact]
    public async Task The_queue_is_bounded_in_octets_too_but_takes_any_one_request()
    {
        var engine = new WrappedEngine();
        var gate = new TaskCompletionSource();
        engine.BeforeAccept = () => gate.Task;
        await using Service service = await Service.StartAsync(new() { ["Optiks:UpdateService:QueuedOctets"] = "1048576" }, engine);
        string large =
            $"[{string.Join(',', Enumerable.Range(0, 40).Select(i => $$"""{"key":"{{i}}","value":"{{new string('a', 65_536)}}"}"""))}]";
        Task<Answer> inCommit = service.PostAsync(large);
        await Eventually.IsAsync(() => engine.Groups.Count == 1);
        (await service.PostAsync(Body(1))).IsProblem("overloaded", 503, null);
        gate.SetResult();
        Assert.Equal(202, (await inCommit).Status);
        Assert.Equal(202, (await service.PostAsync(Body(1))).Status);
    }

    [Fact]
    public async Task An_update_that_waits_too_long_is_given_back_unstored()
    {
        var engine = new WrappedEngine();
        var gate = new TaskCompletionSource();
        engine.BeforeAccept = () => gate.Task;
        await using Service service = await Service.StartAsync(new() { ["Optiks:UpdateService:MaxWaitSeconds"] = "1" }, engine);
        Task<Answer> inCommit = service.PostAsync(Body(0));
        await Eventually.IsAsync(() => engine.Groups.Count == 1);
        Task<Answer> waiting = service.PostAsync(Body(1));
        await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.callers") == 1);
        await Task.Delay(TimeSpan.FromSeconds(1.1), Cancel);
        gate.SetResult();
        Assert.Equal(202, (await inCommit).Status);
        (await waiting).IsProblem("overloaded", 503, null);
        Assert.Equal(1, service.Database.Requests());
        Assert.Equal(202, (await service.PostAsync(Body(1))).Status);
    }

    [Fact]
    public async Task A_database_that_does_not_answer_is_unavailable_until_it_does()
    {
        var engine = new WrappedEngine();
        await using Service service = await Service.StartAsync(engine: engine);
        Guid id = Ids.New();
        string body = $$"""{"request_id":"{{id}}","key":"alice","value":"v"}""";
        engine.BeforeAccept = () => throw new StorageUnavailableException("down");
        (await service.PostAsync(body)).IsProblem("unavailable", 503, null);
        Assert.Equal(503, (await service.GetAsync("/health/ready")).Status);
        Assert.Equal(200, (await service.GetAsync("/health/live")).Status);
        int tries = engine.Groups.Count;
        Assert.True(tries > 1, "It was not tried again.");
        // The circuit is open: the database is not asked.
        Answer refused = await service.PostAsync(body);
        refused.IsProblem("unavailable", 503, null);
        Assert.Contains("No part of this request was stored.", refused.Text("detail"), StringComparison.Ordinal);
        Assert.Equal(tries, engine.Groups.Count);

        engine.BeforeAccept = () => Task.CompletedTask;
        await Eventually.IsAsync(async () => (await service.PostAsync(body)).Status == 202);
        Assert.True(service.Database.Has(id));
        Assert.Equal(200, (await service.GetAsync("/health/ready")).Status);
    }

    [Fact]
    public async Task An_answer_that_is_lost_after_the_commit_is_asked_for_again()
    {
        var engine = new WrappedEngine();
        await using Service service = await Service.StartAsync(engine: engine);
        engine.AfterAccept = () =>
        {
            engine.AfterAccept = () => Task.CompletedTask;
            throw new StorageUnavailableException("lost");
        };
        Assert.Equal(202, (await service.PostAsync(Body(0))).Status);
        Assert.Equal([1, 1], engine.Groups);
        Assert.Equal(1, service.Database.Requests());
    }

    [Fact]
    public async Task An_answer_that_stays_lost_leaves_the_caller_to_repeat()
    {
        var engine = new WrappedEngine();
        await using Service service = await Service.StartAsync(engine: engine);
        Guid id = Ids.New();
        string body = $$"""{"request_id":"{{id}}","key":"alice","value":"v"}""";
        engine.AfterAccept = () => throw new StorageUnavailableException("lost");
        Answer unknown = await service.PostAsync(body);
        unknown.IsProblem("unavailable", 503, null);
        Assert.Contains("may or may not be stored", unknown.Text("detail"), StringComparison.Ordinal);
        Assert.True(service.Database.Has(id));
        engine.AfterAccept = () => Task.CompletedTask;
        await Eventually.IsAsync(async () => (await service.PostAsync(body)).Status == 202);
        Assert.Equal(1, service.Database.Requests());
    }

    [Fact]
    public async Task A_bug_in_a_commit_answers_its_callers_and_no_others()
    {
        var engine = new WrappedEngine();
        await using Service service = await Service.StartAsync(engine: engine);
        engine.BeforeAccept = () => throw new InvalidOperationException("the internals");
        Answer failed = await service.PostAsync(Body(0));
        failed.IsProblem("internal", 500, null);
        Assert.DoesNotContain("internals", failed.Json.GetRawText(), StringComparison.Ordinal);
        engine.BeforeAccept = () => Task.CompletedTask;
        Assert.Equal(202, (await service.PostAsync(Body(0))).Status);
    }

    [Fact]
    public async Task A_caller_that_goes_away_leaves_its_update()
    {
        var engine = new WrappedEngine();
        var gate = new TaskCompletionSource();
        engine.BeforeAccept = () => gate.Task;
        await using Service service = await Service.StartAsync(engine: engine);
        Guid id = Ids.New();
        using (var request = new HttpRequestMessage(HttpMethod.Post,
            "/v1/updates")
        {
            Content = new StringContent(
                $$"""{"request_id":"{{id}}","key":"alice","value":"v"}""", null, "application/json")
        })
        using (var gone = CancellationTokenSource.CreateLinkedTokenSource(Cancel))
        {
            Task<HttpResponseMessage> send = service.Client.SendAsync(request, gone.Token);
            await Eventually.IsAsync(() => engine.Groups.Count == 1);
            await gone.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => send);
        }
        Assert.False(service.Database.Has(id));
        gate.SetResult();
        await Eventually.IsAsync(() => service.Database.Has(id));
        Assert.Equal("pending", (await service.GetAsync($"/v1/updates/{id}")).Text("status"));
    }

    [Fact]
    public async Task Stopping_answers_those_who_wait()
    {
        var engine = new WrappedEngine();
        var gate = new TaskCompletionSource();
        engine.BeforeAccept = () => gate.Task;
        await using Service service = await Service.StartAsync(engine: engine);
        Task<Answer> first = service.PostAsync(Body(0));
        await Eventually.IsAsync(() => engine.Groups.Count == 1);
        Task<Answer>[] answers = [first, service.PostAsync(Body(1)), service.PostAsync(Body(2))];
        await Eventually.IsAsync(() => service.Gauge("optiks.update.queue.callers") == 2);
        Task stop = service.StopAsync();
        gate.SetResult();
        Assert.All(await Task.WhenAll(answers), answer => Assert.Equal(202, answer.Status));
        await stop;
        Assert.Equal(3, service.Database.Requests());
        Assert.False(service.Services.GetRequiredService<CommitQueue>().TryEnqueue(new QueuedUnit(new AcceptUnit([]), 0)));
    }

    [Fact]
    public async Task A_deleted_database_stops_the_service_with_a_reason()
    {
        await using Service service = await Service.StartAsync();
        Assert.Equal(202, (await service.PostAsync(Body(0))).Status);
        HostFailure failure = service.Services.GetRequiredService<HostFailure>();
        failure.ThrowIfFailed();
        File.Delete(service.Data.Database);
        (await service.PostAsync(Body(1))).IsProblem("unavailable", 503, null);
        Assert.Throws<StorageMisconfiguredException>(failure.ThrowIfFailed);
        Assert.True(
            service.Services.GetRequiredService<Microsoft.Extensions.Hosting.IHostApplicationLifetime>().ApplicationStopping.IsCancellationRequested);
    }

    [Fact]
    public async Task Commits_are_measured()
    {
        await using Service service = await Service.StartAsync();
        var measured = new List<string>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, self) =>
        {
            if (instrument.Meter.Name == UpdateMetrics.MeterName
                && instrument.Meter.Scope == service.Services.GetRequiredService<IMeterFactory>())
            {
                self.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Add(measured, instrument, value > 0, tags));
        listener.SetMeasurementEventCallback<int>((instrument, value, tags, _) => Add(measured, instrument, value == 1, tags));
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Add(measured, instrument, value == 2, tags));
        listener.Start();
        Assert.Equal(202, (await service.PostAsync($"[{Body(0)},{Body(1)}]")).Status);
        Assert.Equal(
            ["optiks.update.commit.callers decided True", "optiks.update.commit.duration decided True",
                "optiks.update.updates decided True"],
            measured.Order(StringComparer.Ordinal));
    }

    private static void Add(List<string> measured, Instrument instrument, bool isExpected,
        ReadOnlySpan<KeyValuePair<string, object?>> tags) =>
        measured.Add($"{instrument.Name} {tags[0].Value} {isExpected}");

    private static string Body(int i) => $$"""{"key":"key-{{i}}","value":"v"}""";
}
