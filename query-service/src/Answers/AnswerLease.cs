using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// What one request holds of the <see cref="AnswerBudget"/>. A little of it is the connection's own, which there is a fixed number of, and is not counted: an ordinary answer is never refused, whoever
/// else holds what. One thread at a time.
/// </summary>
internal sealed class AnswerLease : IDisposable
{
    /// <summary>ConnectionsShare of octets that are not counted.</summary>
    public const int ConnectionsShare = 16 * 1024;

    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(1);

    private readonly AnswerBudget _budget;
    private readonly int _caller;
    private readonly long _own;
    private long _held;

    public AnswerLease(AnswerBudget budget, int caller, long own)
    {
        _budget = budget;
        _caller = caller;
        _own = own;
    }

    /// <summary>Caller whose request it is.</summary>
    public int Caller => _caller;

    private long Counted => Math.Max(0, _held - _own);

    /// <summary>Counts memory before it is taken. Throws <see cref="ProblemException"/> (overloaded), with nothing counted, when the caller may not have it now.</summary>
    public void Take(long octets)
    {
        long more = Math.Max(0, _held + octets - _own) - Counted;
        if (more > 0 && !_budget.TryTake(_caller, more))
        {
            throw new ProblemException(new Problem(ProblemTypes.Overloaded, "Too many answers are under way: read those that were asked for, or ask for less at once.", null, s_retryAfter));
        }
        _held += octets;
    }

    /// <summary>Says that memory is free again.</summary>
    public void GiveBack(long octets)
    {
        long before = Counted;
        _held -= octets;
        if (before > Counted)
        {
            _budget.GiveBack(_caller, before - Counted);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => GiveBack(_held);
}
