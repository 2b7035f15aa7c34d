using System.Diagnostics.Metrics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Optiks.QueryService.Endpoints;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Tests;

/// <summary>The first answers are nobody's, and until they are made others are asked.</summary>
public sealed class RehearsalTests : TwoEpochTests
{
    [Fact]
    public async Task Queries_are_refused_until_the_first_answers_are_made()
    {
        await using Replica replica = await Replica.StartReadyAsync(Log);
        IServiceProvider services = replica.Services;
        // Another one, that has not begun.
        using var rehearsal = ActivatorUtilities.CreateInstance<Rehearsal>(services);
        var app = new ApplicationBuilder(services);
        rehearsal.Use(app);
        app.Run(_ => Task.CompletedTask);
        RequestDelegate pipeline = app.Build();

        ProblemException refused = await Assert.ThrowsAsync<ProblemException>(() => pipeline(Request("/v1/lookup")));
        Assert.Equal(ProblemTypes.Unavailable, refused.Problem.Type);
        await pipeline(Request("/log/checkpoint"));
        await pipeline(Request("/health/ready"));
        Assert.Equal(HealthStatus.Unhealthy, await StatusAsync(rehearsal));

        await rehearsal.StartAsync(TestContext.Current.CancellationToken);
        await replica.WaitAsync(async () => await StatusAsync(rehearsal) == HealthStatus.Healthy);
        await pipeline(Request("/v1/lookup"));
    }

    [Fact]
    public async Task A_replica_that_is_ready_has_answered_keys_and_users()
    {
        // With whose they are: other tests answer beside this one.
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

    [Fact]
    public async Task What_cannot_be_answered_is_no_reason_to_refuse()
    {
        await using Replica replica = await Replica.StartReadyAsync(Log);
        replica.Clock.Ahead = TimeSpan.FromDays(30);
        using var rehearsal = ActivatorUtilities.CreateInstance<Rehearsal>(replica.Services);
        Assert.Equal(HealthStatus.Unhealthy, await StatusAsync(rehearsal));
        await rehearsal.StartAsync(TestContext.Current.CancellationToken);
        await replica.WaitAsync(async () => await StatusAsync(rehearsal) == HealthStatus.Healthy);
    }

    private static DefaultHttpContext Request(string path)
    {
        var context = new DefaultHttpContext();
        context.Request.Path = path;
        return context;
    }

    private static async Task<HealthStatus> StatusAsync(Rehearsal rehearsal) => (await rehearsal.CheckHealthAsync(new HealthCheckContext(), TestContext.Current.CancellationToken)).Status;
}
