using System.Diagnostics.Metrics;
using Microsoft.AspNetCore.Http;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Limits the requests of each <see cref="Caller"/>. A request is admitted if its caller has a token. The tokens for its second and further
/// items are spent after the admission, even if the caller does not have them yet. A batch larger than the bucket is therefore possible,
/// and the rate still holds. Any thread.
/// </summary>
public sealed class RateLimiter
{
    // The names and the buckets are both in the order of RateLimitKind.
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

    /// <summary>Applies these limits from now on. If a limit is unchanged, its buckets keep the callers' earlier use.</summary>
    internal void Use(RateLimitOptions options)
    {
        Limited[] before = _limits;
        RateLimit[] limits = [options.Lookups, options.Updates, options.Statuses, options.Audits];
        _limits = [.. limits.Select((limit, kind) => before.Length > 0 && before[kind].Matches(limit)
            ? before[kind]
            : new Limited(limit.PerSecond, limit.Burst, limit.PerSecond > 0 ? new CallerBuckets(limit, _time) : null))];
    }

    /// <summary>
    /// Records how many items an admitted request asks for: <paramref name="items"/> includes the first, which its admission has counted.
    /// </summary>
    public void Spend(HttpContext context, RateLimitKind kind, int items)
    {
        if (items > 1 && _limits[(int)kind].Buckets is { } buckets)
        {
            buckets.Spend(Caller.Identify(context), items - 1);
        }
    }

    /// <summary>Returns the answer to a request whose caller has no token; null if the request is admitted.</summary>
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
