using Microsoft.Extensions.Options;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;
using Optiks.QueryService.Options;
using Optiks.QueryService.Proving;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Endpoints;

/// <summary>Serves the requests about users.</summary>
internal sealed class UserEndpoints
{
    /// <summary>The path of the endpoint for lookups of users.</summary>
    public const string LookupPath = "/v1/users/lookup";

    private readonly AnswerSender _answers;
    private readonly FollowerState _state;
    private readonly RateLimiter _limiter;
    private readonly AnswerBudget _budget;
    private readonly QueryServiceOptions _options;

    public UserEndpoints(AnswerSender answers, FollowerState state, RateLimiter limiter, AnswerBudget budget, IOptions<QueryServiceOptions> options)
    {
        _answers = answers;
        _state = state;
        _limiter = limiter;
        _budget = budget;
        _options = options.Value;
    }

    private Configuration Log => _state.Anchor?.Configuration ?? throw CurrentEpoch.Unavailable("This replica does not know the log yet.");

    public void Map(IEndpointRouteBuilder routes)
    {
        routes.MapPost(LookupPath, (HttpContext context, CancellationToken cancellation) => LookUpAsync(context, cancellation))
            .AsLookup(_options);
        routes.MapPost("/v1/users/monitor", (HttpContext context, CancellationToken cancellation) => MonitorAsync(context, cancellation))
            .LimitRate(RateLimitKind.Lookups).Require(Access.UserHistory);
    }

    private async Task LookUpAsync(HttpContext context, CancellationToken cancellationToken)
    {
        string type = AcceptHeader.Choose(context.Request, MediaTypes.Json, MediaTypes.UserLookup);
        var position = ClientPosition.Read(context.Request);
        var state = AskedState.Read(context.Request);
        using AnswerLease lease = _budget.LeaseFor(context);
        using UserQueries queries = await ReadAsync(context.Request, lease, cancellationToken);
        var request = new UserAnswerRequest(
            queries, entries => _limiter.Spend(context, RateLimitKind.Lookups, entries), position, type, _options.UsesCacheFor(context), lease)
        {
            State = state,
        };
        await _answers.SendAsync(request, context.Response, cancellationToken);
    }

    private async Task MonitorAsync(HttpContext context, CancellationToken cancellationToken)
    {
        string type = AcceptHeader.Choose(context.Request, MediaTypes.Json, MediaTypes.UserMonitor);
        var position = ClientPosition.Read(context.Request);
        var state = AskedState.Read(context.Request);
        using AnswerLease lease = _budget.LeaseFor(context);
        OwnUserQuery query = await ReadOwnAsync(context.Request, lease, cancellationToken);
        var request = new OwnUserRequest(
            query, entries => _limiter.Spend(context, RateLimitKind.Lookups, entries), position, type, _options.UsesCacheFor(context), lease)
        {
            State = state,
        };
        await _answers.SendAsync(request, context.Response, cancellationToken);
    }

    private async ValueTask<OwnUserQuery> ReadOwnAsync(HttpRequest request, AnswerLease lease, CancellationToken cancellationToken)
    {
        string type = RequestBody.MediaType(request, MediaTypes.Json, MediaTypes.UserMonitorQuery);
        Configuration log = Log;
        using var counted = new BodyLease(lease);
        using PooledBody body = await RequestBody.ReadPooledAsync(request, LookupRoutes.MaxBodyLength, counted.Hold, cancellationToken);
        return OwnUserParser.Parse(type, body.Memory, log, CallerRights.Get(request.HttpContext)!);
    }

    private async ValueTask<UserQueries> ReadAsync(HttpRequest request, AnswerLease lease, CancellationToken cancellationToken)
    {
        string type = RequestBody.MediaType(request, MediaTypes.Json, MediaTypes.UserQuery);
        Configuration log = Log;
        using var counted = new BodyLease(lease);
        using PooledBody body = await RequestBody.ReadPooledAsync(request, LookupRoutes.MaxBodyLength, counted.Hold, cancellationToken);
        return UserQueryParser.Parse(type, body.Memory, log, lease);
    }
}
