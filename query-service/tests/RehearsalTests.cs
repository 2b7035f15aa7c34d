using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Logging;
using Optiks.QueryService.Endpoints;
using Optiks.QueryService.Following;
using Optiks.ServiceDefaults;
using Optiks.Tests.Shared;

namespace Optiks.QueryService.Tests;

/// <summary>
/// Tests that the service sends the first requests to itself, and that it refers clients to other replicas until these requests are
/// answered.
/// </summary>
public sealed class RehearsalTests : TwoEpochTests
{
    [Fact]
    public async Task Queries_are_refused_until_the_first_answers_are_made()
    {
        await using Replica replica = await Replica.StartReadyAsync(Log);
        IServiceProvider services = replica.Services;
        // The test creates a second rehearsal, which has not begun yet.
        using var rehearsal = ActivatorUtilities.CreateInstance<Rehearsal>(services);
        var sent = new ConcurrentQueue<string>();
        var app = new ApplicationBuilder(services);
        rehearsal.UseAll(app);
        rehearsal.Use(app);
        app.Run(context =>
        {
            sent.Enqueue($"{context.Request.Method} {context.Request.Path}{context.Request.QueryString}");
            return Task.CompletedTask;
        });
        RequestDelegate pipeline = app.Build();

        ProblemException refused = await Assert.ThrowsAsync<ProblemException>(() => pipeline(Request("/v1/lookup")));
        Assert.Equal(ProblemTypes.Unavailable, refused.Problem.Type);
        await pipeline(Request("/log/checkpoint"));
        await pipeline(Request("/health/ready"));
        Assert.Equal(HealthStatus.Unhealthy, await StatusAsync(rehearsal));
        Assert.Equal(["GET /log/checkpoint", "GET /health/ready"], sent);
        sent.Clear();

        await rehearsal.StartAsync(TestContext.Current.CancellationToken);
        await replica.WaitAsync(async () => await StatusAsync(rehearsal) == HealthStatus.Healthy);
        string[] once = ["POST /v1/lookup", "POST /v1/lookup", "POST /v1/users/lookup", "POST /v1/users/lookup", "GET /v1/epochs/latest"];
        Assert.Equal([.. once, .. once.Select(request => $"{request}?checkpoint_size=1")], sent);
        await pipeline(Request("/v1/lookup"));
    }

    [Fact]
    public async Task A_stop_during_the_rehearsal_is_no_failure_of_the_service()
    {
        await using Replica replica = await Replica.StartReadyAsync(Log);
        IServiceProvider services = replica.Services;
        var failure = new HostFailure(services.GetRequiredService<Microsoft.Extensions.Hosting.IHostApplicationLifetime>());
        using var rehearsal = ActivatorUtilities.CreateInstance<Rehearsal>(services, failure);
        var app = new ApplicationBuilder(services);
        rehearsal.UseAll(app);
        // The service is stopped during the rehearsal. It aborts the rehearsal's request, which may then fail because an object that it
        // needs has been disposed of.
        Task? stop = null;
        app.Run(context =>
        {
            stop = rehearsal.StopAsync(CancellationToken.None);
            return Task.FromException(new ObjectDisposedException("provider"));
        });
        _ = app.Build();
        await rehearsal.StartAsync(TestContext.Current.CancellationToken);
        await replica.WaitAsync(() => Task.FromResult(stop is { IsCompleted: true }));
        Assert.True(rehearsal.ExecuteTask!.IsCompleted);
        Assert.False(failure.HasFailed);
    }

    [Fact]
    public async Task A_replica_that_is_ready_has_answered_keys_and_users()
    {
        // Each entry contains the scope of the metric, because replicas of other tests answer at the same time.
        var answered = new HashSet<(object? Scope, string Kind)>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, own) =>
            {
                if (instrument.Name == "optiks.query.keys")
                {
                    own.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, _, tags, _) =>
        {
            lock (answered)
            {
                answered.Add((instrument.Meter.Scope, tags[0].Value as string ?? ""));
            }
        });
        listener.Start();
        await using Replica replica = await Replica.StartReadyAsync(Log);
        lock (answered)
        {
            object own = replica.Services.GetRequiredService<IMeterFactory>();
            Assert.Superset(new HashSet<(object?, string)> { (own, "lookup"), (own, "users") }, answered);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_cannot_be_answered_is_no_reason_to_refuse(bool isLate)
    {
        await using Replica replica = await Replica.StartReadyAsync(Log);
        replica.Clock.Ahead = TimeSpan.FromDays(30);
        using var rehearsal = ActivatorUtilities.CreateInstance<Rehearsal>(replica.Services);
        var app = new ApplicationBuilder(replica.Services);
        rehearsal.UseAll(app);
        app.Run(async context =>
        {
            if (isLate)
            {
                // This wait simulates a slow board.
                await Task.Delay(Timeout.Infinite, context.RequestAborted);
            }
            // The clock is 30 days ahead, so the epoch is too old and this call throws.
            replica.Services.GetRequiredService<CurrentEpoch>().AcquireFresh().Release();
        });
        app.Build();
        Assert.Equal(HealthStatus.Unhealthy, await StatusAsync(rehearsal));
        await rehearsal.StartAsync(TestContext.Current.CancellationToken);
        await replica.WaitAsync(async () => await StatusAsync(rehearsal) == HealthStatus.Healthy);
        await rehearsal.StopAsync(TestContext.Current.CancellationToken);
    }

    [Theory]
    [InlineData("false")]
    [InlineData("true")]
    public async Task All_requests_of_a_rehearsal_are_answered(string closed)
    {
        using var events = new LoggedEvents();
        await using Replica replica = await Replica.StartAsync(Log, "a", services => services.AddSingleton<ILoggerProvider>(events),
            _ => { }, "--Optiks:QueryService:RequireLookupScope", closed);
        await replica.WaitForEpochAsync((ulong)Log.Records.Count - 1);
        Assert.False(events.Has("NotRehearsed"));
    }

    private static DefaultHttpContext Request(string path)
    {
        var context = new DefaultHttpContext();
        context.Request.Method = HttpMethods.Get;
        context.Request.Path = path;
        return context;
    }

    private static async Task<HealthStatus> StatusAsync(Rehearsal rehearsal) =>
        (await rehearsal.CheckHealthAsync(new HealthCheckContext(), TestContext.Current.CancellationToken)).Status;
}
