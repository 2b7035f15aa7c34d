using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// The state of the log that a request asks about in its URL: <c>?at_epoch=e</c> or <c>?period=p</c> (docs/spec/rest.md section 4). The
/// default is the newest state.
/// </summary>
/// <param name="AtEpoch">The recent epoch that the request asks about; null if it names none.</param>
/// <param name="EndedPeriod">The ended period that the request asks about, at its last epoch (docs/spec/periods.md section 5); null if the
/// request names none.</param>
internal readonly record struct AskedState(ulong? AtEpoch, ulong? EndedPeriod)
{
    public const string AtEpochParameter = "at_epoch";
    public const string PeriodParameter = "period";

    /// <summary>Reads the two parameters from a request's URL; an absent parameter gives null. Throws <see cref="ProblemException"/>
    /// (malformed-request) if a parameter is invalid.</summary>
    public static AskedState Read(HttpRequest request)
    {
        if (!request.QueryString.HasValue)
        {
            return default;
        }
        var asked = new AskedState(ClientPosition.Find(request, AtEpochParameter), ClientPosition.Find(request, PeriodParameter));
        return asked is { AtEpoch: not null, EndedPeriod: not null }
            ? throw new ProblemException(
                new Problem(ProblemTypes.MalformedRequest,
                    "An ended period is always answered at its last epoch: give either the period or the epoch.", $"?{AtEpochParameter}"))
            : asked;
    }
}
