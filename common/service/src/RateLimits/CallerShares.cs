namespace Optiks.ServiceDefaults;

/// <summary>CallerShares divides a room that all callers use at the same time: memory, or places in a queue.</summary>
/// <remarks>
/// Thread safety: any thread. Invariants. 1: all callers together hold at most <see cref="Total"/>. 2: no caller is let have more than is left for everyone else: one caller gets half of the room, two that take all they can get
/// a third each, and so on. So a caller that holds nothing finds room, however many hold as much as they may, and no share has to be set.
/// </remarks>
public sealed class CallerShares
{
    private readonly Lock _lock = new();

    // Callers that hold something: no more than there are requests.
    private readonly Dictionary<int, long> _held = [];
    private long _used;

    /// <summary>CallerShares of a room of this size.</summary>
    public CallerShares(long total) => Total = total;

    /// <summary>Total room.</summary>
    public long Total { get; }

    /// <summary>Used room.</summary>
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

    /// <summary>TryTake takes room for a caller (<see cref="Caller"/>); false, with nothing changed, when it is more than the caller may have now.</summary>
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

    /// <summary>TryTakeAlone takes room for a caller, however much, while nothing but <paramref name="own"/> of it is used; false, with nothing changed, otherwise.</summary>
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

    /// <summary>GiveBack frees room that a caller took.</summary>
    public void GiveBack(int caller, long amount)
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
