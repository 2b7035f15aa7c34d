namespace Optiks.ServiceDefaults;

/// <summary>
/// Keeps a token bucket for each caller, in memory of a fixed size. A bucket is stored as a single number, the time at which it will be
/// full again (the generic cell rate algorithm), so it needs no timer. A flood of new callers cannot make the memory grow, as it would with
/// a dictionary of limiters.
/// </summary>
/// <remarks>
/// Thread safety: any thread may call the methods, which take no locks. Invariant: a slot changes by compare-and-swap only, so that no
/// token is given twice. The number of a caller, which is a hash with a random key, determines the caller's slot. Two callers in the same
/// slot share its tokens. If 1,000 callers are at their limit, the probability that a caller shares its slot is below 0.4 %, and nobody can
/// choose with whom.
/// </remarks>
internal sealed class CallerBuckets
{
    /// <summary>The limit for tokens that a caller spends before it has them, given as the number of seconds in which the bucket gains
    /// these tokens.</summary>
    public const int MaxSeconds = 3600;

    // The number of slots, which take 2 MiB of memory.
    private const int Slots = 1 << 18;

    private readonly long[] _fullAt = new long[Slots];
    private readonly TimeProvider _time;
    private readonly long _perToken;
    private readonly long _reserve;
    private readonly long _maxAhead;

    /// <summary>Creates full buckets for all callers. The limit's rate must be above 0.</summary>
    public CallerBuckets(RateLimit limit, TimeProvider time)
    {
        _time = time;
        _perToken = Math.Max(
            1, (long)Math.Round(Math.Min(time.TimestampFrequency / limit.PerSecond, time.TimestampFrequency * (double)MaxSeconds)));
        int burst = limit.Burst > 0 ? limit.Burst : Math.Max(1, (int)limit.PerSecond);
        // The time that a bucket with exactly one token needs to become full. A bucket that needs longer holds less than one token.
        _reserve = (burst - 1) * _perToken;
        _maxAhead = _reserve + (MaxSeconds * time.TimestampFrequency);
    }

    /// <summary>Takes one token from the caller's bucket and returns true. If the bucket has no token, returns false and sets the time
    /// until it has one.</summary>
    public bool TryTake(int caller, out TimeSpan retryAfter)
    {
        ref long slot = ref GetSlot(caller);
        long now = _time.GetTimestamp();
        for (long fullAt = Volatile.Read(ref slot); ;)
        {
            long lacking = Math.Max(0, fullAt - now);
            if (lacking > _reserve)
            {
                retryAfter = _time.GetElapsedTime(0, lacking - _reserve);
                return false;
            }
            long found = Interlocked.CompareExchange(ref slot, now + lacking + _perToken, fullAt);
            if (found == fullAt)
            {
                retryAfter = TimeSpan.Zero;
                return true;
            }
            fullAt = found;
        }
    }

    /// <summary>
    /// Takes tokens from the caller's bucket, even if the bucket holds fewer. The caller's further requests are then refused until the
    /// bucket holds a token again.
    /// </summary>
    public void Spend(int caller, int tokens)
    {
        ref long slot = ref GetSlot(caller);
        long now = _time.GetTimestamp();
        long cost = (long)Math.Min((double)tokens * _perToken, _maxAhead);
        for (long fullAt = Volatile.Read(ref slot); ;)
        {
            long lacking = Math.Min(Math.Max(0, fullAt - now) + cost, _maxAhead);
            long found = Interlocked.CompareExchange(ref slot, now + lacking, fullAt);
            if (found == fullAt)
            {
                return;
            }
            fullAt = found;
        }
    }

    private ref long GetSlot(int caller) => ref _fullAt[caller & (Slots - 1)];
}
