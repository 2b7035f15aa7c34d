using System.Text;
using System.Text.Json;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;
using Optiks.ApiKeys;
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
    private const long MaxBodyLength = 1024 * 1024;
    private const int MaxKeyLength = 255;
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

    private int KeyLength => _state.Anchor?.Configuration.MaxKeyLength ?? MaxKeyLength;

    public void Map(IEndpointRouteBuilder routes)
    {
        IEndpointConventionBuilder[] lookups =
        [
            routes.MapPost("/v1/lookup", (HttpContext context, CancellationToken cancellation) => PostLookupAsync(context, cancellation))
                .Describe("Looks up keys: their latest values, or their proven absence.", MediaTypes.Lookup).TakesQueries().TakesCheckpointSize()
                .LimitRate(RateLimitKind.Lookups),
            routes.MapGet("/v1/lookup", (HttpContext context, CancellationToken cancellation) => GetLookupAsync(context, cancellation))
                .Describe("Looks up one key given as text in the URL; for trying things out.", MediaTypes.Lookup)
                .TakesParameter("key", true, "The key, UTF-8 text.").TakesCheckpointSize().LimitRate(RateLimitKind.Lookups),
        ];
        if (_requireLookupScope)
        {
            Array.ForEach(lookups, lookup => lookup.RequireScope(ApiScopes.Lookup));
        }
        routes.MapPost("/v1/history", (HttpContext context, CancellationToken cancellation) => PostVersionsAsync(context, QueryKind.History, cancellation))
            .Describe("Lists versions of keys, oldest first, by pages.", MediaTypes.History).TakesQueries().TakesCheckpointSize()
            .LimitRate(RateLimitKind.Lookups).RequireScope(ApiScopes.History);
        routes.MapPost("/v1/monitor", (HttpContext context, CancellationToken cancellation) => PostVersionsAsync(context, QueryKind.Monitor, cancellation))
            .Describe("Lists versions of one's own keys and proves that there are no others.", MediaTypes.Monitor).TakesQueries().TakesCheckpointSize()
            .LimitRate(RateLimitKind.Lookups).RequireScope(ApiScopes.History);
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
        ulong keptSize = CheckpointSize.Read(context.Request);
        using AnswerLease lease = _budget.LeaseFor(context);
        using QueryBatch batch = await ReadAsync(context.Request, QueryKind.Lookup, lease, cancellationToken);
        await AnswerLookupAsync(context, type, keptSize, batch, lease, cancellationToken);
    }

    private async Task GetLookupAsync(HttpContext context, CancellationToken cancellationToken)
    {
        string type = AcceptHeader.Choose(context.Request, MediaTypes.Json, MediaTypes.Lookup);
        ulong keptSize = CheckpointSize.Read(context.Request);
        StringValues keys = context.Request.Query["key"];
        if (keys.Count != 1)
        {
            throw new ProblemException(new Problem(ProblemTypes.MalformedRequest, "Give one parameter 'key'.", "key"));
        }
        using AnswerLease lease = _budget.LeaseFor(context);
        using QueryBatch batch = QueryParser.One(Encoding.UTF8.GetBytes(keys[0]!), KeyLength);
        await AnswerLookupAsync(context, type, keptSize, batch, lease, cancellationToken);
    }

    private async Task PostVersionsAsync(HttpContext context, QueryKind kind, CancellationToken cancellationToken)
    {
        string type = AcceptHeader.Choose(context.Request, MediaTypes.Json, kind == QueryKind.History ? MediaTypes.History : MediaTypes.Monitor);
        ulong keptSize = CheckpointSize.Read(context.Request);
        using AnswerLease lease = _budget.LeaseFor(context);
        using QueryBatch batch = await ReadAsync(context.Request, kind, lease, cancellationToken);
        await AnswerProvenAsync(context, kind, type, keptSize, batch, lease, cancellationToken);
    }

    private async Task AnswerLookupAsync(HttpContext context, string type, ulong keptSize, QueryBatch batch, AnswerLease lease, CancellationToken cancellationToken)
    {
        if (!UsesCache(context) || !await TryAnswerCachedAsync(context.Response, type, keptSize, batch, lease, cancellationToken))
        {
            await AnswerProvenAsync(context, QueryKind.Lookup, type, keptSize, batch, lease, cancellationToken);
        }
    }

    private bool UsesCache(HttpContext context) => !_hidesCache || Caller.IsKnown(context);

    /// <summary>TryAnswerCachedAsync answers a lookup whose VRF proofs are cached; false, with nothing of the response touched, when one is not.</summary>
    private async ValueTask<bool> TryAnswerCachedAsync(HttpResponse response, string type, ulong keptSize, QueryBatch batch, AnswerLease lease, CancellationToken cancellationToken)
    {
        using var answer = new PooledWriter(lease, ExpectedLength, AnswerLimits.Of(QueryKind.Lookup, batch.Keys.Count));
        ServedEpoch epoch = _current.AcquireFresh();
        try
        {
            answer.Append(await HeadAsync(epoch, keptSize, cancellationToken));
            if (!epoch.Snapshot.TryWriteLookups(StructureId.Keys, batch.Keys, batch.Periods, batch.Versions, answer))
            {
                return false;
            }
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
    private async Task AnswerProvenAsync(HttpContext context, QueryKind kind, string type, ulong keptSize, QueryBatch batch, AnswerLease lease, CancellationToken cancellationToken)
    {
        using ProvenAnswer proven = await _proofs.AnswerAsync(kind, batch, lease, UsesCache(context), cancellationToken);
        byte[] head;
        try
        {
            head = await HeadAsync(proven.Epoch, keptSize, cancellationToken);
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

    private async ValueTask<byte[]> HeadAsync(ServedEpoch epoch, ulong keptSize, CancellationToken cancellationToken)
    {
        bool isCached = epoch.Heads.TryGet(keptSize, out byte[]? head);
        _metrics.Head(isCached);
        return head ?? await epoch.Heads.RenderAsync(keptSize, cancellationToken);
    }

    private async ValueTask<QueryBatch> ReadAsync(HttpRequest request, QueryKind kind, AnswerLease lease, CancellationToken cancellationToken)
    {
        string type = RequestBody.MediaType(request, MediaTypes.Json, MediaTypes.Query);
        using var counted = new BodyLease(lease);
        using PooledBody body = await RequestBody.ReadPooledAsync(request, MaxBodyLength, counted.Hold, cancellationToken);
        QueryBatch batch = QueryParser.Parse(type, body.Memory, kind, KeyLength);
        _limiter.Spend(request.HttpContext, RateLimitKind.Lookups, batch.Keys.Count);
        return batch;
    }
}
