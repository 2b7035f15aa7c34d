using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Counts the memory that one request holds in the <see cref="AnswerBudget"/>. Each connection has a small share of memory that is not
/// counted, which is safe because the number of connections is limited. So an ordinary, short answer is never refused, even if other
/// requests hold all other memory. Not thread-safe.
/// </summary>
internal sealed class AnswerLease : IDisposable
{
    /// <summary>The number of bytes of a connection's share, which are not counted.</summary>
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

    /// <summary>The number of the caller that sent the request.</summary>
    public int Caller => _caller;

    /// <summary>The store of arrays for answers.</summary>
    public AnswerArrays Arrays => _budget.Arrays;

    private long Counted => Math.Max(0, _held - _own);

    /// <summary>
    /// Counts memory. The code must call this method before it allocates the memory. If the service's caller may not use that much memory
    /// now, counts nothing and throws <see cref="ProblemException"/> (overloaded).
    /// </summary>
    public void Take(long octets)
    {
        long more = Math.Max(0, _held + octets - _own) - Counted;
        if (more > 0 && !_budget.TryTake(_caller, more))
        {
            throw new ProblemException(
                new Problem(ProblemTypes.Overloaded,
                    "Too many of this caller's answers are in progress: read them first, or ask for less at once.", null, s_retryAfter));
        }
        _held += octets;
    }

    /// <summary>Stops counting memory that the request no longer holds.</summary>
    public void Return(long octets)
    {
        long before = Counted;
        _held -= octets;
        if (before > Counted)
        {
            _budget.Return(_caller, before - Counted);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => Return(_held);
}
