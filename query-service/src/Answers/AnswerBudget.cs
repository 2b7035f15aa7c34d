using Microsoft.Extensions.Options;
using Optiks.QueryService.Options;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Bounds the memory of all answers that are being made or sent, and of the bodies that ask for them, with a share for each caller (<see cref="CallerShares"/>). An answer counts from the moment that memory is taken for it
/// until its last octet was handed to the connection: a client that reads slowly holds it as long. Any thread.
/// </summary>
internal sealed class AnswerBudget
{
    private readonly CallerShares _shares;
    private long _refusals;

    public AnswerBudget(IOptions<QueryServiceOptions> options)
        : this(options.Value.AnswerBytes)
    {
    }

    internal AnswerBudget(long total) => _shares = new CallerShares(total);

    /// <summary>Total octets.</summary>
    public long Total => _shares.Total;

    /// <summary>Used octets.</summary>
    public long Used => _shares.Used;

    /// <summary>Refusals so far.</summary>
    public long Refusals => Interlocked.Read(ref _refusals);

    /// <summary>Begins to count for a request, whose end disposes the lease.</summary>
    public AnswerLease LeaseFor(HttpContext context)
    {
        // The streams of an HTTP/2 connection hold memory beside each other.
        bool hasConnection = HttpProtocol.IsHttp11(context.Request.Protocol) || HttpProtocol.IsHttp10(context.Request.Protocol);
        return new AnswerLease(this, Caller.Of(context), hasConnection ? AnswerLease.ConnectionsShare : 0);
    }

    /// <summary>Takes octets for a caller; false, with nothing changed, when they are more than it may have now.</summary>
    internal bool TryTake(int caller, long octets)
    {
        if (_shares.TryTake(caller, octets))
        {
            return true;
        }
        Interlocked.Increment(ref _refusals);
        return false;
    }

    /// <summary>Ends the counting of octets that a caller took.</summary>
    internal void GiveBack(int caller, long octets) => _shares.GiveBack(caller, octets);
}
