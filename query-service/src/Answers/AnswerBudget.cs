using Microsoft.Extensions.Options;
using Optiks.QueryService.Options;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Bounds the memory of all answers that are being made or sent, and of all request bodies, and gives each caller a share
/// (<see cref="CallerShares"/>). An answer counts from the allocation of its memory until its last byte was passed to the connection. So a
/// client that reads slowly keeps its answer counted. Thread-safe.
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

    /// <summary>The arrays for answers. While an answer uses an array, the array counts as the answer's memory.</summary>
    public AnswerArrays Arrays { get; }

    /// <summary>The number of bytes that may be in use.</summary>
    public long Total => _shares.Total;

    /// <summary>The number of bytes in use.</summary>
    public long Used => _shares.Used;

    /// <summary>The number of requests for memory that were refused so far.</summary>
    public long Refusals => Interlocked.Read(ref _refusals);

    /// <summary>Begins to count the memory of a request. The framework disposes of the lease when the request ends.</summary>
    public AnswerLease LeaseFor(HttpContext context)
    {
        // Several streams of an HTTP/2 connection hold memory at the same time, so they get no share per connection.
        bool hasConnection = HttpProtocol.IsHttp11(context.Request.Protocol) || HttpProtocol.IsHttp10(context.Request.Protocol);
        return new AnswerLease(this, Caller.Identify(context), hasConnection ? AnswerLease.ConnectionsShare : 0);
    }

    /// <summary>Counts bytes for a caller. Returns false, with nothing changed, when the caller may not have that many now.</summary>
    internal bool TryTake(int caller, long octets)
    {
        if (_shares.TryTake(caller, octets))
        {
            return true;
        }
        Interlocked.Increment(ref _refusals);
        return false;
    }

    /// <summary>Stops counting bytes that a caller took.</summary>
    internal void Return(int caller, long octets) => _shares.Return(caller, octets);
}
