using System.Diagnostics.Metrics;
using Microsoft.AspNetCore.Http;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Limits the requests of each <see cref="Caller"/>. A request is admitted if its caller's bucket holds at least one token. The tokens for
/// the request's second and further items are spent after the admission, even if the bucket does not hold them. A batch may therefore be
/// larger than the bucket, and the caller still cannot exceed the rate. Any thread may use the limiter.
/// </summary>
public sealed class RateLimiter
{
    // The names, like the buckets, are in the order of `RateLimitKind`.
    private static readonly string[] s_names = ["lookups", "updates", "statuses", "audits"];

    private readonly TimeProvider _time;
    private readonly Counter<long> _limited;
    private volatile Limited[] _limits = [];

    internal RateLimiter(RateLimitOptions options, TimeProvider time, IMeterFactory meters)
    {
        _time = time;
        Use(options);
        _limited = meters.Create("Optiks.Service").CreateCounter<long>(
            "optiks.service.rate_limited", "{request}", "Requests refused because their caller exceeded a rate limit, by limit.");
    }

    /// <summary>Applies these limits from now on. If a limit is unchanged, its buckets stay as they are, with the tokens that callers have
    /// spent.</summary>
    internal void Use(RateLimitOptions options)
    {
        Limited[] before = _limits;
        RateLimit[] limits = [options.Lookups, options.Updates, options.Statuses, options.Audits];
        _limits = [.. limits.Select((limit, kind) => before.Length > 0 && before[kind].Matches(limit)
            ? before[kind]
            : new Limited(limit.PerSecond, limit.Burst, limit.PerSecond > 0 ? new CallerBuckets(limit, _time) : null))];
    }

    /// <summary>
    /// Spends the tokens for the further items of an admitted request. The parameter <paramref name="items"/> is the number of all items,
    /// including the first item, whose token was spent at the admission.
    /// </summary>
    public void Spend(HttpContext context, RateLimitKind kind, int items)
    {
        if (items > 1 && _limits[(int)kind].Buckets is { } buckets)
        {
            buckets.Spend(Caller.Identify(context), items - 1);
        }
    }

    /// <summary>Returns the answer that refuses a request because its caller has no token, or null if the request is admitted.</summary>
    internal Problem? Refuse(HttpContext context, RateLimitKind kind)
    {
        if (_limits[(int)kind].Buckets is not { } buckets || buckets.TryTake(Caller.Identify(context), out TimeSpan retryAfter))
        {
            return null;
        }
        string name = s_names[(int)kind];
        _limited.Add(1, new KeyValuePair<string, object?>("optiks.limit", name));
        return new Problem(ProblemTypes.RateLimited, $"This caller has used up its rate of {name}.", null, retryAfter);
    }

    private sealed record Limited(double PerSecond, int Burst, CallerBuckets? Buckets)
    {
        public bool Matches(RateLimit limit) => PerSecond == limit.PerSecond && Burst == limit.Burst;
    }
}
