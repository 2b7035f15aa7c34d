using System.Text;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;
using Optiks.QueryService.Options;
using Optiks.QueryService.Proving;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Endpoints;

/// <summary>KeyEndpoints answer about keys: lookup, history, monitor. Everything of one answer comes from one <see cref="ServedEpoch"/>.</summary>
internal sealed class KeyEndpoints
{
    private const string LookupPath = "/v1/lookup";
    private const string KeyParameter = "key";
    private const long MaxBodyLength = 1024 * 1024;
    private const int ExpectedLength = 12 * 1024;

    private readonly CurrentEpoch _current;
    private readonly FollowerState _state;
    private readonly QueryMetrics _metrics;
    private readonly ProofQueue _proofs;
    private readonly RateLimiter _limiter;
    private readonly AnswerBudget _budget;
    private readonly bool _requireLookupScope;
    private readonly bool _hidesCache;

    public KeyEndpoints(
        CurrentEpoch current, FollowerState state, QueryMetrics metrics, ProofQueue proofs, RateLimiter limiter, AnswerBudget budget, IOptions<QueryServiceOptions> options)
    {
        _budget = budget;
        _hidesCache = options.Value.HideCacheFromAnonymous;
        _proofs = proofs;
        _limiter = limiter;
        _current = current;
        _state = state;
        _metrics = metrics;
        _requireLookupScope = options.Value.RequireLookupScope;
    }

    private int KeyLength => _state.Anchor?.Configuration.MaxKeyLength ?? ProtocolLimits.MaxKeyLength;

    public void Map(IEndpointRouteBuilder routes)
    {
        RouteHandlerBuilder[] lookups =
        [
            routes.MapPost(LookupPath, (HttpContext context, CancellationToken cancellation) => PostLookupAsync(context, cancellation)).Describe(QueryApi.PostLookup),
            routes.MapRead(LookupPath, (HttpContext context, CancellationToken cancellation) => GetLookupAsync(context, cancellation)).Describe(QueryApi.GetLookup),
        ];
        foreach (RouteHandlerBuilder lookup in lookups)
        {
            lookup.LimitRate(RateLimitKind.Lookups);
            if (_requireLookupScope)
            {
                lookup.Require(Access.Lookup);
            }
            else
            {
                lookup.AllowBrowsers();
            }
        }
        routes.MapPost("/v1/history", (HttpContext context, CancellationToken cancellation) => PostVersionsAsync(context, QueryKind.History, cancellation))
            .Describe(QueryApi.History).LimitRate(RateLimitKind.Lookups).Require(Access.History);
        routes.MapPost("/v1/monitor", (HttpContext context, CancellationToken cancellation) => PostVersionsAsync(context, QueryKind.Monitor, cancellation))
            .Describe(QueryApi.Monitor).LimitRate(RateLimitKind.Lookups).Require(Access.History);
    }

    private static string Kind(QueryKind kind) => kind switch
    {
        QueryKind.Lookup => "lookup",
        QueryKind.History => "history",
        _ => "monitor",
    };

    private async Task PostLookupAsync(HttpContext context, CancellationToken cancellationToken)
    {
        string type = AcceptHeader.Choose(context.Request, MediaTypes.Json, MediaTypes.Lookup);
        var position = ClientPosition.Read(context.Request);
        using AnswerLease lease = _budget.LeaseFor(context);
        using QueryBatch batch = await ReadAsync(context.Request, QueryKind.Lookup, lease, cancellationToken);
        await AnswerLookupAsync(context, type, position, batch, lease, cancellationToken);
    }

    private async Task GetLookupAsync(HttpContext context, CancellationToken cancellationToken)
    {
        string type = AcceptHeader.Choose(context.Request, MediaTypes.Json, MediaTypes.Lookup);
        var position = ClientPosition.Read(context.Request);
        StringValues keys = context.Request.Query[KeyParameter];
        if (keys.Count != 1)
        {
            throw new ProblemException(new Problem(ProblemTypes.MalformedRequest, "Give one parameter 'key'.", $"?{KeyParameter}"));
        }
        using AnswerLease lease = _budget.LeaseFor(context);
        using QueryBatch batch = QueryParser.One(Encoding.UTF8.GetBytes(keys[0]!), new KeyRules(KeyLength, Owner: null));
        await AnswerLookupAsync(context, type, position, batch, lease, cancellationToken);
    }

    private async Task PostVersionsAsync(HttpContext context, QueryKind kind, CancellationToken cancellationToken)
    {
        string type = AcceptHeader.Choose(context.Request, MediaTypes.Json, kind == QueryKind.History ? MediaTypes.History : MediaTypes.Monitor);
        var position = ClientPosition.Read(context.Request);
        using AnswerLease lease = _budget.LeaseFor(context);
        using QueryBatch batch = await ReadAsync(context.Request, kind, lease, cancellationToken);
        await AnswerProvenAsync(context, kind, type, position, batch, lease, cancellationToken);
    }

    private async Task AnswerLookupAsync(HttpContext context, string type, ClientPosition position, QueryBatch batch, AnswerLease lease, CancellationToken cancellationToken)
    {
        if (!UsesCache(context) || !await TryAnswerCachedAsync(context.Response, type, position, batch, lease, cancellationToken))
        {
            await AnswerProvenAsync(context, QueryKind.Lookup, type, position, batch, lease, cancellationToken);
        }
    }

    private bool UsesCache(HttpContext context) => !_hidesCache || CallerRights.Of(context) is { IsToken: false };

    /// <summary>TryAnswerCachedAsync answers a lookup whose VRF proofs are cached; false, with nothing of the response touched, when one is not.</summary>
    private async ValueTask<bool> TryAnswerCachedAsync(HttpResponse response, string type, ClientPosition position, QueryBatch batch, AnswerLease lease, CancellationToken cancellationToken)
    {
        using var answer = new PooledWriter(lease, ExpectedLength, AnswerLimits.Of(QueryKind.Lookup, batch.Keys.Count));
        ServedEpoch epoch = _current.AcquireFresh();
        try
        {
            answer.Append(await HeadAsync(epoch, position, cancellationToken));
            if (!epoch.View.TryWriteLookups(StructureId.Keys, batch.Keys, batch.Periods, batch.Versions, answer, batch.Latest))
            {
                return false;
            }
            batch.ThrowIfAhead(QueryKind.Lookup, epoch.Period);
        }
        finally
        {
            epoch.Release();
        }
        await SendAsync(response, QueryKind.Lookup, type, answer, lease, cancellationToken);
        _metrics.Answered(Kind(QueryKind.Lookup), batch.Keys.Count);
        return true;
    }

    /// <summary>AnswerProvenAsync answers with VRF proofs that are made together with those of other requests.</summary>
    private async Task AnswerProvenAsync(HttpContext context, QueryKind kind, string type, ClientPosition position, QueryBatch batch, AnswerLease lease, CancellationToken cancellationToken)
    {
        using ProvenAnswer proven = await _proofs.AnswerAsync(kind, batch, lease, UsesCache(context), cancellationToken);
        byte[] head;
        try
        {
            head = await HeadAsync(proven.Epoch, position, cancellationToken);
        }
        finally
        {
            proven.ReleaseEpoch();
        }
        proven.Body.Prepend(head);
        await SendAsync(context.Response, kind, type, proven.Body, lease, cancellationToken);
        _metrics.Answered(Kind(kind), batch.Keys.Count);
    }

    private static async Task SendAsync(HttpResponse response, QueryKind kind, string type, PooledWriter answer, AnswerLease lease, CancellationToken cancellationToken)
    {
        if (type == MediaTypes.Json)
        {
            using PooledWriter json = JsonAnswer.Write(answer.Written, lease, kind == QueryKind.Lookup ? AnswerJson.WriteLookupAnswer : AnswerJson.WriteVersionsAnswer);
            answer.Dispose();
            await SendAsync(response, type, json, cancellationToken);
            return;
        }
        await SendAsync(response, type, answer, cancellationToken);
    }

    private static Task SendAsync(HttpResponse response, string type, PooledWriter answer, CancellationToken cancellationToken)
    {
        Caching.NoStore(response);
        response.ContentType = type;
        response.ContentLength = answer.Length;
        return answer.SendAsync(response.BodyWriter, cancellationToken);
    }

    private async ValueTask<byte[]> HeadAsync(ServedEpoch epoch, ClientPosition position, CancellationToken cancellationToken)
    {
        position.ThrowIfAhead(epoch.Epoch);
        bool isCached = epoch.Heads.TryGet(position.CheckpointSize, out byte[]? head);
        _metrics.Head(isCached);
        return head ?? await epoch.Heads.RenderAsync(position.CheckpointSize, cancellationToken);
    }

    private async ValueTask<QueryBatch> ReadAsync(HttpRequest request, QueryKind kind, AnswerLease lease, CancellationToken cancellationToken)
    {
        string type = RequestBody.MediaType(request, MediaTypes.Json, MediaTypes.Query);
        using var counted = new BodyLease(lease);
        using PooledBody body = await RequestBody.ReadPooledAsync(request, MaxBodyLength, counted.Hold, cancellationToken);
        // The latest value is anyone's to look up; older ones are the owner's.
        CallerRights? owner = kind == QueryKind.Lookup ? null : CallerRights.Of(request.HttpContext)!;
        QueryBatch batch = QueryParser.Parse(type, body.Memory, kind, new KeyRules(KeyLength, owner));
        _limiter.Spend(request.HttpContext, RateLimitKind.Lookups, batch.Keys.Count);
        return batch;
    }
}
