namespace Optiks.ServiceDefaults;

/// <summary>
/// Keeps one token bucket for each caller, in memory of a fixed size. A bucket is a single number: the time at which it is full again (the
/// generic cell rate algorithm). A bucket has no timer and allocates nothing. A flood of new callers cannot make this memory grow, as it
/// would make a dictionary of limiters grow.
/// </summary>
/// <remarks>
/// Thread safety: any thread, lock-free. Invariant: a slot changes by compare-and-swap only, so that no token is given twice. A hash under
/// the process's own key spreads callers over the slots. Two callers in one slot share the slot's tokens. Among 1,000 callers at their
/// limit, each caller shares a slot with a probability below 0.4 %, and nobody can choose with whom.
/// </remarks>
internal sealed class CallerBuckets
{
    /// <summary>The longest time, in seconds, for which a caller can spend tokens in advance.</summary>
    public const int MaxSeconds = 3600;

    // The slots take 2 MiB of memory.
    private const int Slots = 1 << 18;

    private readonly long[] _fullAt = new long[Slots];
    private readonly TimeProvider _time;
    private readonly long _perToken;
    private readonly long _reserve;
    private readonly long _maxAhead;

    /// <summary>Makes full buckets for a limit whose rate is above 0.</summary>
    public CallerBuckets(RateLimit limit, TimeProvider time)
    {
        _time = time;
        _perToken = Math.Max(1, (long)Math.Round(Math.Min(time.TimestampFrequency / limit.PerSecond, time.TimestampFrequency * (double)MaxSeconds)));
        int burst = limit.Burst > 0 ? limit.Burst : Math.Max(1, (int)limit.PerSecond);
        // The most that the bucket may lack and still hold one token.
        _reserve = (burst - 1) * _perToken;
        _maxAhead = _reserve + (MaxSeconds * time.TimestampFrequency);
    }

    /// <summary>Takes one token and returns true; or returns false, with the time that the caller must wait for a token.</summary>
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
    /// Takes tokens even if the bucket lacks them. The caller's next request then waits until the bucket has a token again.
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
