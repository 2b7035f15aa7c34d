using System.Text;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Endpoints;

/// <summary>
/// Rehearsal answers lookups for nobody before callers are answered. The first answers of a process wait until their code is compiled, a tenth of a second each; at hundreds of requests a second that many callers would notice each
/// restart. Until it is over queries are refused as <c>unavailable</c>, so that an edge asks another replica, and the service is not ready. Any thread.
/// </summary>
internal sealed class Rehearsal : BackgroundService, IHealthCheck
{
    // Of nobody: their answers are computed, proven and encoded as all others.
    private const string KeyQuery = """{"key": "rehearsal"}""";
    private const string UserQuery = """{"username": "rehearsal"}""";

    // Later ones find what the first ones left, and so take other ways.
    private const int Rounds = 2;

    private const string Detail = "The first answers are being rehearsed.";

    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(2);

    private static readonly PathString s_queries = "/v1";

    private readonly KeyEndpoints _keys;
    private readonly UserEndpoints _users;
    private readonly CurrentEpoch _current;
    private readonly IServiceScopeFactory _scopes;
    private readonly HostFailure _failure;
    private readonly ILogger<Rehearsal> _logger;
    private volatile bool _isOver;

    public Rehearsal(KeyEndpoints keys, UserEndpoints users, CurrentEpoch current, IServiceScopeFactory scopes, HostFailure failure, ILogger<Rehearsal> logger)
    {
        _keys = keys;
        _users = users;
        _current = current;
        _scopes = scopes;
        _failure = failure;
        _logger = logger;
    }

    // Who asks before there is an epoch is told that.
    private bool IsUnderWay => !_isOver && _current.Peek() is not null;

    /// <summary>Use refuses queries meanwhile.</summary>
    public void Use(IApplicationBuilder app) => app.Use(next => context =>
        IsUnderWay && context.Request.Path.StartsWithSegments(s_queries) ? throw CurrentEpoch.Unavailable(Detail) : next(context));

    /// <inheritdoc/>
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(IsUnderWay ? HealthCheckResult.Unhealthy(Detail) : HealthCheckResult.Healthy());

    /// <inheritdoc/>
    protected override Task ExecuteAsync(CancellationToken stoppingToken) => _failure.RunAsync(RunAsync, _logger.Stopped, stoppingToken);

    private async Task RunAsync(CancellationToken stop)
    {
        for (Task later = _current.Later; _current.Peek() is null; later = _current.Later)
        {
            await later.WaitAsync(stop);
        }
        try
        {
            await AnswerAllAsync(stop).WaitAsync(s_longest, stop);
        }
        // An epoch that is too old, a board that cannot be read, answers that wait: callers are told of it themselves.
        catch (Exception e) when (!stop.IsCancellationRequested)
        {
            _logger.NotRehearsed(e);
        }
        _isOver = true;
    }

    private async Task AnswerAllAsync(CancellationToken stop)
    {
        for (int round = 0; round < Rounds; round++)
        {
            await AnswerAsync(QueryKind.Lookup.MediaType, KeyQuery, context => _keys.PostAsync(context, QueryKind.Lookup, stop));
            await AnswerAsync(MediaTypes.Json, KeyQuery, context => _keys.PostAsync(context, QueryKind.Lookup, stop));
            await AnswerAsync(MediaTypes.UserLookup, UserQuery, context => _users.LookUpAsync(context, stop));
            await AnswerAsync(MediaTypes.Json, UserQuery, context => _users.LookUpAsync(context, stop));
        }
    }

    private async Task AnswerAsync(string type, string query, Func<HttpContext, Task> endpoint)
    {
        await using AsyncServiceScope scope = _scopes.CreateAsyncScope();
        byte[] body = Encoding.UTF8.GetBytes(query);
        var context = new DefaultHttpContext { RequestServices = scope.ServiceProvider };
        context.Request.Protocol = HttpProtocol.Http11;
        context.Request.Method = HttpMethods.Post;
        context.Request.ContentType = MediaTypes.Json;
        context.Request.ContentLength = body.Length;
        context.Request.Headers.Accept = type;
        using var read = new MemoryStream(body);
        context.Request.Body = read;
        context.Response.Body = Stream.Null;
        await endpoint(context);
        await context.Response.CompleteAsync();
    }
}
