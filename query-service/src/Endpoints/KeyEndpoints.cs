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

    private readonly RequestReader _requests;
    private readonly AnswerSender _answers;
    private readonly FollowerState _state;
    private readonly LaterPeriods _later;
    private readonly QueryServiceOptions _options;

    public KeyEndpoints(
        RequestReader requests, AnswerSender answers, FollowerState state, LaterPeriods later, IOptions<QueryServiceOptions> options)
    {
        _requests = requests;
        _answers = answers;
        _state = state;
        _later = later;
        _options = options.Value;
    }

    public void Map(IEndpointRouteBuilder routes)
    {
        routes.MapPost(LookupPath,
            (HttpContext context, CancellationToken cancellation) => PostAsync(context, QueryKind.Lookup, cancellation))
            .AsLookup(_options);
        routes.MapRead(LookupPath, (HttpContext context, CancellationToken cancellation) => GetLookupAsync(context, cancellation))
            .AsLookup(_options);
        routes.MapPost("/v1/history",
            (HttpContext context, CancellationToken cancellation) => PostAsync(context, QueryKind.History, cancellation))
            .LimitRate(RateLimitKind.Lookups).Require(Access.History);
        routes.MapPost("/v1/monitor",
            (HttpContext context, CancellationToken cancellation) => PostAsync(context, QueryKind.Monitor, cancellation))
            .LimitRate(RateLimitKind.Lookups).Require(Access.History);
    }

    private async Task PostAsync(HttpContext context, QueryKind kind, CancellationToken cancellationToken)
    {
        using AnswerTerms terms = _requests.ReadTerms(context, kind.MediaType);
        // Anyone may look up the latest value; only the key's owner may see older values.
        CallerRights? owner = kind == QueryKind.Lookup ? null : CallerRights.Get(context)!;
        using QueryBatch queries = await RequestReader.ReadBodyAsync(
            context.Request,
            MediaTypes.Query,
            terms,
            (type, body) => QueryParser.Parse(type, body, kind, new AllowedKeys(_state.KeyLength, owner)),
            cancellationToken);
        LaterPeriods? later = owner is { IsToken: true } ? _later : null;
        await _answers.SendAsync(new KeyRequest(kind, queries, terms) { Later = later }, context, cancellationToken);
    }

    private async Task GetLookupAsync(HttpContext context, CancellationToken cancellationToken)
    {
        using AnswerTerms terms = _requests.ReadTerms(context, QueryKind.Lookup.MediaType);
        StringValues keys = context.Request.Query[KeyParameter];
        if (keys.Count != 1)
        {
            throw new ProblemException(new Problem(ProblemTypes.MalformedRequest, "Give one parameter 'key'.", $"?{KeyParameter}"));
        }
        using QueryBatch queries = QueryParser.One(Encoding.UTF8.GetBytes(keys[0]!), new AllowedKeys(_state.KeyLength, Owner: null));
        await _answers.SendAsync(new KeyRequest(QueryKind.Lookup, queries, terms), context, cancellationToken);
    }
}
