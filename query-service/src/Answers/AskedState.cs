using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// The state of the log that a request asks about in its URL: <c>?at_epoch=e</c> or <c>?period=p</c> (docs/spec/rest.md section 4). The
/// default is the newest state.
/// </summary>
/// <param name="AtEpoch">A recent epoch.</param>
/// <param name="EndedPeriod">A period that has ended; the answer is about that period's last epoch (docs/spec/periods.md section
/// 5).</param>
internal readonly record struct AskedState(ulong? AtEpoch, ulong? EndedPeriod)
{
    public const string AtEpochParameter = "at_epoch";
    public const string PeriodParameter = "period";

    /// <summary>Reads the parameters; absent ones are null. Throws <see cref="ProblemException"/> (malformed-request).</summary>
    public static AskedState Read(HttpRequest request)
    {
        if (!request.QueryString.HasValue)
        {
            return default;
        }
        var asked = new AskedState(ClientPosition.Find(request, AtEpochParameter), ClientPosition.Find(request, PeriodParameter));
        return asked is { AtEpoch: not null, EndedPeriod: not null }
            ? throw new ProblemException(new Problem(ProblemTypes.MalformedRequest, "An ended period is always answered at its last epoch: give either the period or the epoch.", $"?{AtEpochParameter}"))
            : asked;
    }
}
