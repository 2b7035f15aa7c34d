namespace Optiks.ServiceDefaults;

/// <summary>Divides a resource among the callers that use it at the same time. The resource is memory, or places in a queue.</summary>
/// <remarks>
/// Thread safety: any thread may call the methods. Invariant 1: all callers together hold at most <see cref="Total"/>. Invariant 2: when a
/// caller takes an amount, it then holds at most as much as is left unused. A single caller therefore gets at most half of the resource; if
/// two callers take all that they can, each gets a third, and so on. Thus a caller that holds nothing always finds room, however many other
/// callers there are, and no shares need to be configured.
/// </remarks>
public sealed class CallerShares
{
    private readonly Lock _lock = new();

    // The amount that each caller holds. The dictionary has only callers with current requests, so it has at most as many elements as there
    // are current requests.
    private readonly Dictionary<int, long> _held = [];
    private long _used;

    /// <summary>Creates the shares of an unused resource of this size.</summary>
    public CallerShares(long total) => Total = total;

    /// <summary>The size of the resource.</summary>
    public long Total { get; }

    /// <summary>The amount that all callers together hold.</summary>
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
    /// Takes an amount for a caller (<see cref="Caller"/>). If the amount is more than the caller may take now, returns false and takes
    /// nothing.
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
    /// Takes an amount of any size for a caller if the used amount equals the parameter <paramref name="own"/>, which is the amount that
    /// the caller itself holds. Otherwise returns false and takes nothing.
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

    /// <summary>Gives an amount back that a caller took.</summary>
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
