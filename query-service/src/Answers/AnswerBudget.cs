using Microsoft.Extensions.Options;
using Optiks.QueryService.Options;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// AnswerBudget bounds the memory of all answers that are being made or sent, and of the bodies that ask for them. An answer counts from the moment that memory is taken for it until its last octet was
/// handed to the connection: a client that reads slowly holds it as long.
/// </summary>
/// <remarks>
/// Thread safety: any thread. Invariants. 1: what all callers hold is at most <see cref="Total"/>. 2: nobody is let have more than is left for everyone else: one caller gets half of the budget, two that take
/// all they can get a third each, and so on. So whoever holds nothing finds room, however many hold as much as they may, and no share has to be set.
/// </remarks>
internal sealed class AnswerBudget
{
    private readonly Lock _lock = new();

    // Callers that hold something: no more than there are connections.
    private readonly Dictionary<int, long> _held = [];
    private long _used;
    private long _refusals;

    public AnswerBudget(IOptions<QueryServiceOptions> options)
        : this(options.Value.AnswerBytes)
    {
    }

    internal AnswerBudget(long total) => Total = total;

    /// <summary>Total octets.</summary>
    public long Total { get; }

    /// <summary>Used octets.</summary>
    public long Used
    {
        get
        {
            lock (_lock)
            {
                return _used;
            }
        }
    }

    /// <summary>Refusals so far.</summary>
    public long Refusals
    {
        get
        {
            lock (_lock)
            {
                return _refusals;
            }
        }
    }

    /// <summary>LeaseFor begins to count for a request, whose end disposes the lease.</summary>
    public AnswerLease LeaseFor(HttpContext context)
    {
        // The streams of an HTTP/2 connection hold memory beside each other.
        bool hasConnection = HttpProtocol.IsHttp11(context.Request.Protocol) || HttpProtocol.IsHttp10(context.Request.Protocol);
        return new AnswerLease(this, Caller.Of(context), hasConnection ? AnswerLease.ConnectionsShare : 0);
    }

    /// <summary>TryTake takes octets for a caller; false, with nothing changed, when they are more than it may have now.</summary>
    internal bool TryTake(int caller, long octets)
    {
        lock (_lock)
        {
            long held = _held.GetValueOrDefault(caller) + octets;
            if (held > Total - _used - octets)
            {
                _refusals++;
                return false;
            }
            _held[caller] = held;
            _used += octets;
            return true;
        }
    }

    /// <summary>GiveBack ends the counting of octets that a caller took.</summary>
    internal void GiveBack(int caller, long octets)
    {
        lock (_lock)
        {
            long held = _held[caller] - octets;
            if (held > 0)
            {
                _held[caller] = held;
            }
            else
            {
                _held.Remove(caller);
            }
            _used -= octets;
        }
    }
}
