namespace Optiks.ServiceDefaults;

/// <summary>Divides a resource that all callers use at the same time: memory, or places in a queue.</summary>
/// <remarks>
/// Thread safety: any thread. Invariants. 1: all callers together hold at most <see cref="Total"/>. 2: no caller may hold more than is left
/// for all others. A single caller gets at most half of the resource. If two callers take all that they can, each gets a third, and so on.
/// A caller that holds nothing therefore always finds room, however many others hold as much as they may, and no share needs to be
/// configured.
/// </remarks>
public sealed class CallerShares
{
    private readonly Lock _lock = new();

    // The amount that each caller holds. The dictionary has at most as many callers as there are current requests.
    private readonly Dictionary<int, long> _held = [];
    private long _used;

    /// <summary>Begins with a resource of this size.</summary>
    public CallerShares(long total) => Total = total;

    /// <summary>The size of the resource.</summary>
    public long Total { get; }

    /// <summary>The used amount.</summary>
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

    /// <summary>
    /// Takes an amount for a caller (<see cref="Caller"/>). Returns false, changing nothing, if the amount is more than the caller may have
    /// now.
    /// </summary>
    public bool TryTake(int caller, long amount)
    {
        lock (_lock)
        {
            if (_held.GetValueOrDefault(caller) + amount > Total - _used - amount)
            {
                return false;
            }
            Add(caller, amount);
            return true;
        }
    }

    /// <summary>
    /// Takes any amount for a caller if nothing but <paramref name="own"/> is used; otherwise returns false and changes nothing.
    /// </summary>
    public bool TryTakeAlone(int caller, long own, long amount)
    {
        lock (_lock)
        {
            if (_used != own)
            {
                return false;
            }
            Add(caller, amount);
            return true;
        }
    }

    /// <summary>Returns an amount that a caller took.</summary>
    public void Return(int caller, long amount)
    {
        lock (_lock)
        {
            Add(caller, -amount);
        }
    }

    private void Add(int caller, long amount)
    {
        long held = _held.GetValueOrDefault(caller) + amount;
        if (held > 0)
        {
            _held[caller] = held;
        }
        else
        {
            _held.Remove(caller);
        }
        _used += amount;
    }
}
