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

    private readonly RequestReader _requests;
    private readonly AnswerSender _answers;
    private readonly FollowerState _state;
    private readonly QueryServiceOptions _options;

    public UserEndpoints(RequestReader requests, AnswerSender answers, FollowerState state, IOptions<QueryServiceOptions> options)
    {
        _requests = requests;
        _answers = answers;
        _state = state;
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
        using AnswerTerms terms = _requests.ReadTerms(context, MediaTypes.UserLookup);
        Configuration log = Log;
        using UserQueries queries = await RequestReader.ReadBodyAsync(
            context.Request, MediaTypes.UserQuery, terms, (type, body) => UserQueryParser.Parse(type, body, log, terms.Lease),
            cancellationToken);
        await _answers.SendAsync(new UserAnswerRequest(queries, terms), context, cancellationToken);
    }

    private async Task MonitorAsync(HttpContext context, CancellationToken cancellationToken)
    {
        using AnswerTerms terms = _requests.ReadTerms(context, MediaTypes.UserMonitor);
        Configuration log = Log;
        CallerRights caller = CallerRights.Get(context)!;
        OwnUserQuery query = await RequestReader.ReadBodyAsync(
            context.Request, MediaTypes.UserMonitorQuery, terms, (type, body) => OwnUserParser.Parse(type, body, log, caller),
            cancellationToken);
        await _answers.SendAsync(new OwnUserRequest(query, terms), context, cancellationToken);
    }
}
