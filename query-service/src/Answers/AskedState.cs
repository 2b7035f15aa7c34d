using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>The state of the log that is asked about, as the URL says: <c>?at_epoch=e</c> or <c>?period=p</c> (docs/spec/rest.md section 4). The default is the log as it is.</summary>
/// <param name="AtEpoch">A recent epoch.</param>
/// <param name="EndedPeriod">A period that has ended, at its last epoch (docs/spec/periods.md section 5).</param>
internal readonly record struct AskedState(ulong? AtEpoch, ulong? EndedPeriod)
{
    public const string AtEpochParameter = "at_epoch";
    public const string PeriodParameter = "period";

    /// <summary>Gives null for what is absent. Throws <see cref="ProblemException"/> (malformed-request).</summary>
    public static AskedState Read(HttpRequest request)
    {
        if (!request.QueryString.HasValue)
        {
            return default;
        }
        var asked = new AskedState(ClientPosition.Find(request, AtEpochParameter), ClientPosition.Find(request, PeriodParameter));
        return asked is { AtEpoch: not null, EndedPeriod: not null }
            ? throw new ProblemException(new Problem(ProblemTypes.MalformedRequest, "An ended period is answered at its last epoch: ask for one of the two.", $"?{AtEpochParameter}"))
            : asked;
    }
}
