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
/// Sends made-up requests through the service before the service answers callers. The first answers of a process are slow, because their
/// code must be compiled, which takes a tenth of a second for each answer. Without the rehearsal, many callers of a service with hundreds
/// of requests per second would notice each restart. During the rehearsal, the service reports that it is not ready, and refuses queries as
/// <c>unavailable</c>, so that an edge (docs/operations/edge.md) asks another replica. Thread-safe.
/// </summary>
internal sealed class Rehearsal : BackgroundService, IHealthCheck
{
    // No key or user has these names, but the service computes, proves and encodes the answers like all others.
    private const string KeyQuery = """{"key": "rehearsal"}""";
    private const string UserQuery = """{"username": "rehearsal"}""";

    // The positions of a client that knows nothing, and of a client that has seen the log's first epoch. The second client also gets a
    // consistency proof, for which the service reads the board. If the board is unreachable, only the requests of the second client fail.
    private static readonly QueryString[] s_positions = [default, new($"?{ClientPosition.CheckpointSizeParameter}=1")];

    private const string Detail = "The first answers are being rehearsed.";

    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(2);

    private static readonly PathString s_queries = "/v1";

    // The identity of the rehearsal's requests, which is needed if the operator closed lookups. It has only the right to look up.
    private static readonly ClaimsPrincipal s_caller = new(
        CallerRights.FromApiKey(new ApiKeyEntry("rehearsal", default, ApiScopes.Lookup)));

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

    // Whether callers' queries must be refused because of the rehearsal. Before the first epoch this is false, because the service then
    // refuses queries for another reason: it has no epoch.
    private bool IsUnderWay => !_isOver && _current.Peek() is not null;

    /// <summary>Adds the point at which the rehearsal's requests enter the service. They pass through all middleware that is added after
    /// this call.</summary>
    public void UseAll(IApplicationBuilder app) => app.Use(next =>
    {
        _pipeline.TrySetResult(next);
        return next;
    });

    /// <summary>Adds the middleware that refuses callers' queries during the rehearsal.</summary>
    public void Use(IApplicationBuilder app) => app.Use(next => context =>
        IsUnderWay && context.Request.Path.StartsWithSegments(s_queries) && !context.Items.ContainsKey(s_mark)
            ? throw CurrentEpoch.Unavailable(Detail)
            : next(context));

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
        // The rehearsal fails if the epoch is too old, the board is unreadable, or answers take too long. The service continues, because
        // callers will be told of the same problem. If the service is told to stop, it aborts the rehearsal's requests, which may then fail
        // with any exception.
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
                // The request looks as if a proxy on this host had sent it.
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
                    throw new InvalidOperationException(
                        $"{method} {path}{position} was answered with status {context.Response.StatusCode}.");
                }
            }
        }
    }
}
