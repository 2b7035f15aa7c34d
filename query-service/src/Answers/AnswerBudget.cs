using Microsoft.Extensions.Options;
using Optiks.QueryService.Options;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Bounds the memory of all answers that are being made or sent, and of all request bodies, and gives each caller a share
/// (<see cref="CallerShares"/>). An answer's memory counts from its allocation until the answer's last byte was passed to the connection.
/// So it counts for a long time if a client reads slowly. Thread-safe.
/// </summary>
internal sealed class AnswerBudget
{
    private readonly CallerShares _shares;
    private long _refusals;

    public AnswerBudget(IOptions<QueryServiceOptions> options)
        : this(options.Value.AnswerBytes)
    {
    }

    internal AnswerBudget(long total)
    {
        _shares = new CallerShares(total);
        Arrays = new AnswerArrays(total);
    }

    /// <summary>The store of arrays for answers. While an answer uses an array, the array counts as the answer's memory.</summary>
    public AnswerArrays Arrays { get; }

    /// <summary>The largest number of bytes that may be in use together.</summary>
    public long Total => _shares.Total;

    /// <summary>The number of bytes that are in use now.</summary>
    public long Used => _shares.Used;

    /// <summary>The number of requests for memory that were refused so far.</summary>
    public long Refusals => Interlocked.Read(ref _refusals);

    /// <summary>Begins to count the memory of a request. The framework disposes of the lease when the request ends.</summary>
    public AnswerLease LeaseFor(HttpContext context)
    {
        // Only an HTTP/1 connection has a share of memory that is not counted. An HTTP/2 connection has no such share, because several of
        // its streams hold memory at the same time.
        bool hasConnection = HttpProtocol.IsHttp11(context.Request.Protocol) || HttpProtocol.IsHttp10(context.Request.Protocol);
        return new AnswerLease(this, Caller.Identify(context), hasConnection ? AnswerLease.ConnectionsShare : 0);
    }

    /// <summary>Counts bytes for a caller. If the caller may not have that many bytes now, changes nothing and returns false.</summary>
    internal bool TryTake(int caller, long octets)
    {
        if (_shares.TryTake(caller, octets))
        {
            return true;
        }
        Interlocked.Increment(ref _refusals);
        return false;
    }

    /// <summary>Stops counting bytes that were counted for a caller.</summary>
    internal void Return(int caller, long octets) => _shares.Return(caller, octets);
}
