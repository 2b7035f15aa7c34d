using System.Net;
using System.Security.Claims;
using System.Text;
using Microsoft.AspNetCore.HttpOverrides;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Optiks.ApiKeys;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Endpoints;

/// <summary>
/// Sends made-up requests through the service before it answers callers. The first answers of a process wait until their code is compiled,
/// a tenth of a second each. Without the rehearsal, at hundreds of requests a second, many callers would notice each restart. During the
/// rehearsal, the service refuses queries as <c>unavailable</c>, so that an edge (docs/operations/edge.md) asks another replica, and
/// reports that it is not ready. Thread-safe.
/// </summary>
internal sealed class Rehearsal : BackgroundService, IHealthCheck
{
    // No user has these names, but their answers are computed, proven and encoded like all other answers.
    private const string KeyQuery = """{"key": "rehearsal"}""";
    private const string UserQuery = """{"username": "rehearsal"}""";

    // The positions of a client that knows nothing, and of a client that has seen the log's first epoch. The second client also gets the
    // proof that this is the same log, which needs the board. If the board is unreachable, the first position is still rehearsed.
    private static readonly QueryString[] s_positions = [default, new($"?{ClientPosition.CheckpointSizeParameter}=1")];

    private const string Detail = "The first answers are being rehearsed.";

    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(2);

    private static readonly PathString s_queries = "/v1";

    // If the operator closed lookups, the rehearsal has the right to look up and no other.
    private static readonly ClaimsPrincipal s_caller = new(CallerRights.FromApiKey(new ApiKeyEntry("rehearsal", default, ApiScopes.Lookup)));

    // A key in HttpContext.Items that marks a request as the rehearsal's. No caller can set it.
    private static readonly object s_mark = new();

    private readonly TaskCompletionSource<RequestDelegate> _pipeline = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CurrentEpoch _current;
    private readonly IServiceScopeFactory _scopes;
    private readonly HostFailure _failure;
    private readonly ILogger<Rehearsal> _logger;
    private volatile bool _isOver;

    public Rehearsal(CurrentEpoch current, IServiceScopeFactory scopes, HostFailure failure, ILogger<Rehearsal> logger)
    {
        _current = current;
        _scopes = scopes;
        _failure = failure;
        _logger = logger;
    }

    // False before the first epoch: until then, queries get the problem that there is no epoch.
    private bool IsUnderWay => !_isOver && _current.Peek() is not null;

    /// <summary>Makes the rehearsal send its requests through all middleware that is added after this call.</summary>
    public void UseAll(IApplicationBuilder app) => app.Use(next =>
    {
        _pipeline.TrySetResult(next);
        return next;
    });

    /// <summary>Refuses callers' queries during the rehearsal.</summary>
    public void Use(IApplicationBuilder app) => app.Use(next => context =>
        IsUnderWay && context.Request.Path.StartsWithSegments(s_queries) && !context.Items.ContainsKey(s_mark) ? throw CurrentEpoch.Unavailable(Detail) : next(context));

    /// <inheritdoc/>
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(IsUnderWay ? HealthCheckResult.Unhealthy(Detail) : HealthCheckResult.Healthy());

    /// <inheritdoc/>
    protected override Task ExecuteAsync(CancellationToken stoppingToken) => _failure.RunAsync(RunAsync, _logger.Stopped, stoppingToken);

    private async Task RunAsync(CancellationToken stop)
    {
        RequestDelegate pipeline = await _pipeline.Task.WaitAsync(stop);
        for (Task later = _current.Later; _current.Peek() is null; later = _current.Later)
        {
            await later.WaitAsync(stop);
        }
        try
        {
            await SendAllAsync(pipeline, stop).WaitAsync(s_longest, stop);
        }
        // The rehearsal fails when the epoch is too old, the board is unreadable, or answers take too long. Each caller then gets the same
        // problem, so the service continues. When the service is told to stop, it aborts the requests, which may then fail in any way.
        catch (Exception e)
        {
            stop.ThrowIfCancellationRequested();
            _logger.NotRehearsed(e);
        }
        _isOver = true;
    }

    private async Task SendAllAsync(RequestDelegate pipeline, CancellationToken stop)
    {
        foreach (QueryString position in s_positions)
        {
            await SendAsync(HttpMethods.Post, KeyEndpoints.LookupPath, QueryKind.Lookup.MediaType, KeyQuery);
            await SendAsync(HttpMethods.Post, KeyEndpoints.LookupPath, MediaTypes.Json, KeyQuery);
            await SendAsync(HttpMethods.Post, UserEndpoints.LookupPath, MediaTypes.UserLookup, UserQuery);
            await SendAsync(HttpMethods.Post, UserEndpoints.LookupPath, MediaTypes.Json, UserQuery);
            await SendAsync(HttpMethods.Get, EpochEndpoints.LatestPath, MediaTypes.Json, "");

            async Task SendAsync(string method, string path, string type, string query)
            {
                await using AsyncServiceScope scope = _scopes.CreateAsyncScope();
                using var body = new MemoryStream(Encoding.UTF8.GetBytes(query));
                var context = new DefaultHttpContext { RequestServices = scope.ServiceProvider, RequestAborted = stop };
                context.Items.Add(s_mark, null);
                context.User = s_caller;
                // The request looks like one from a proxy on this host.
                context.Connection.RemoteIpAddress = IPAddress.Loopback;
                context.Request.Headers[ForwardedHeadersDefaults.XForwardedForHeaderName] = IPAddress.Loopback.ToString();
                context.Request.Protocol = HttpProtocol.Http11;
                context.Request.Scheme = Uri.UriSchemeHttp;
                context.Request.Host = new HostString("localhost");
                context.Request.Method = method;
                context.Request.Path = path;
                context.Request.QueryString = position;
                context.Request.ContentType = MediaTypes.Json;
                context.Request.ContentLength = body.Length;
                context.Request.Body = body;
                context.Request.Headers.Accept = type;
                context.Response.Body = Stream.Null;
                await pipeline(context);
                await context.Response.CompleteAsync();
                if (context.Response.StatusCode != StatusCodes.Status200OK)
                {
                    throw new InvalidOperationException($"{method} {path}{position} was answered with status {context.Response.StatusCode}.");
                }
            }
        }
    }
}
