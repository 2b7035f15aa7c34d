using System.Text;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;
using Optiks.QueryService.Options;
using Optiks.QueryService.Proving;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Endpoints;

/// <summary>Serves the three kinds of requests about keys: lookup, history and monitor.</summary>
internal sealed class KeyEndpoints
{
    /// <summary>The path of the endpoint for lookups of keys.</summary>
    public const string LookupPath = "/v1/lookup";

    private const string KeyParameter = "key";

    private readonly AnswerSender _answers;
    private readonly FollowerState _state;
    private readonly RateLimiter _limiter;
    private readonly AnswerBudget _budget;
    private readonly LaterPeriods _later;
    private readonly QueryServiceOptions _options;

    public KeyEndpoints(AnswerSender answers, FollowerState state, RateLimiter limiter, AnswerBudget budget, LaterPeriods later, IOptions<QueryServiceOptions> options)
    {
        _answers = answers;
        _state = state;
        _limiter = limiter;
        _budget = budget;
        _later = later;
        _options = options.Value;
    }

    public void Map(IEndpointRouteBuilder routes)
    {
        routes.MapPost(LookupPath, (HttpContext context, CancellationToken cancellation) => PostAsync(context, QueryKind.Lookup, cancellation))
            .AsLookup(_options);
        routes.MapRead(LookupPath, (HttpContext context, CancellationToken cancellation) => GetLookupAsync(context, cancellation))
            .AsLookup(_options);
        routes.MapPost("/v1/history", (HttpContext context, CancellationToken cancellation) => PostAsync(context, QueryKind.History, cancellation))
            .LimitRate(RateLimitKind.Lookups).Require(Access.History);
        routes.MapPost("/v1/monitor", (HttpContext context, CancellationToken cancellation) => PostAsync(context, QueryKind.Monitor, cancellation))
            .LimitRate(RateLimitKind.Lookups).Require(Access.History);
    }

    private async Task PostAsync(HttpContext context, QueryKind kind, CancellationToken cancellationToken)
    {
        string type = AcceptHeader.Choose(context.Request, MediaTypes.Json, kind.MediaType);
        var position = ClientPosition.Read(context.Request);
        var state = AskedState.Read(context.Request);
        using AnswerLease lease = _budget.LeaseFor(context);
        using QueryBatch queries = await ReadAsync(context.Request, kind, lease, cancellationToken);
        var request = new KeyRequest(kind, queries, position, type, _options.UsesCacheFor(context), lease)
        {
            State = state,
            Later = kind != QueryKind.Lookup && CallerRights.Get(context) is { IsToken: true } ? _later : null,
        };
        await _answers.SendAsync(request, context.Response, cancellationToken);
    }

    private async Task GetLookupAsync(HttpContext context, CancellationToken cancellationToken)
    {
        string type = AcceptHeader.Choose(context.Request, MediaTypes.Json, QueryKind.Lookup.MediaType);
        var position = ClientPosition.Read(context.Request);
        var state = AskedState.Read(context.Request);
        StringValues keys = context.Request.Query[KeyParameter];
        if (keys.Count != 1)
        {
            throw new ProblemException(new Problem(ProblemTypes.MalformedRequest, "Give one parameter 'key'.", $"?{KeyParameter}"));
        }
        using AnswerLease lease = _budget.LeaseFor(context);
        using QueryBatch queries = QueryParser.One(Encoding.UTF8.GetBytes(keys[0]!), new AllowedKeys(_state.KeyLength, Owner: null));
        var request = new KeyRequest(QueryKind.Lookup, queries, position, type, _options.UsesCacheFor(context), lease) { State = state };
        await _answers.SendAsync(request, context.Response, cancellationToken);
    }

    private async ValueTask<QueryBatch> ReadAsync(HttpRequest request, QueryKind kind, AnswerLease lease, CancellationToken cancellationToken)
    {
        string type = RequestBody.MediaType(request, MediaTypes.Json, MediaTypes.Query);
        using var counted = new BodyLease(lease);
        using PooledBody body = await RequestBody.ReadPooledAsync(request, LookupRoutes.MaxBodyLength, counted.Hold, cancellationToken);
        // Anyone may look up the latest value; only the key's owner may see older values.
        CallerRights? owner = kind == QueryKind.Lookup ? null : CallerRights.Get(request.HttpContext)!;
        QueryBatch batch = QueryParser.Parse(type, body.Memory, kind, new AllowedKeys(_state.KeyLength, owner));
        _limiter.Spend(request.HttpContext, RateLimitKind.Lookups, batch.Keys.Count);
        return batch;
    }
}
