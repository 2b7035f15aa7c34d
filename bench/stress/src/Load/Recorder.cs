namespace Optiks.Stress.Load;

/// <summary>
/// Collects the results of requests. It keeps, for each operation, the totals of all requests whose intended start was after the warm-up,
/// and figures for each second of the whole run. If requested, it also keeps the totals of each window of the measured time. Times are
/// seconds on the run's clock. Any thread may use a recorder.
/// </summary>
internal sealed class Recorder
{
    private readonly Lock _lock = new();
    private readonly SortedDictionary<string, KindTotals> _kinds = new(StringComparer.Ordinal);
    private readonly List<Second> _seconds = [];
    private readonly List<SortedDictionary<string, KindTotals>> _windows = [];
    private readonly double _warmUp;
    private readonly double? _window;

    public Recorder(double warmUp, double? window = null)
    {
        _warmUp = warmUp;
        _window = window;
    }

    /// <summary>
    /// The totals of the windows, in the order of time, from the end of the warm-up on. A request counts in the window of its intended
    /// start. The list is empty unless windows were requested. Callers must read it only after the last result was added.
    /// </summary>
    public IReadOnlyList<IReadOnlyDictionary<string, KindTotals>> Windows => _windows;

    /// <summary>Counts a request at its intended start, whether or not it is sent.</summary>
    public void Offered(double intended)
    {
        lock (_lock)
        {
            At(intended).Offered++;
        }
    }

    /// <summary>Counts a request that has ended, with its outcome.</summary>
    public void Done(MixPart part, double intended, double ended, RequestOutcome outcome)
    {
        long latency = (long)((ended - intended) * 1e6);
        lock (_lock)
        {
            Second started = At(intended);
            if (outcome.Error is null)
            {
                started.Latency.Record(latency);
                Second finished = At(ended);
                finished.Completed++;
                finished.Updates += part.IsUpdate ? outcome.Items : 0;
            }
            else
            {
                started.Failed++;
            }
            if (intended < _warmUp)
            {
                return;
            }
            foreach (KindTotals totals in Totals(part.Name, intended))
            {
                if (outcome.Error is null)
                {
                    totals.Answered++;
                    totals.Items += outcome.Items;
                    totals.Octets += outcome.Octets;
                    totals.Latency.Record(latency);
                }
                else
                {
                    totals.Errors[outcome.Error] = totals.Errors.GetValueOrDefault(outcome.Error) + 1;
                }
            }
        }
    }

    /// <summary>Counts a request that could not be sent in time.</summary>
    public void NotSent(MixPart part, double intended)
    {
        lock (_lock)
        {
            At(intended).NotSent++;
            if (intended >= _warmUp)
            {
                foreach (KindTotals totals in Totals(part.Name, intended))
                {
                    totals.NotSent++;
                }
            }
        }
    }

    public void InFlight(double now, int count)
    {
        lock (_lock)
        {
            Second second = At(now);
            second.InFlight = Math.Max(second.InFlight, count);
        }
    }

    /// <summary>
    /// Passes the collected figures to a function, and adds no results until the function returns. The function must not keep references to
    /// the figures, because the run goes on.
    /// </summary>
    public T Read<T>(Func<IReadOnlyDictionary<string, KindTotals>, IReadOnlyList<Second>, T> read)
    {
        lock (_lock)
        {
            return read(_kinds, _seconds);
        }
    }

    // Returns the totals to which a request adds: the totals of the whole measured time and, if the time is divided into windows, the
    // totals of the request's window.
    private IEnumerable<KindTotals> Totals(string kind, double intended)
    {
        yield return Totals(_kinds, kind);
        if (_window is { } length)
        {
            int index = (int)((intended - _warmUp) / length);
            while (_windows.Count <= index)
            {
                _windows.Add(new SortedDictionary<string, KindTotals>(StringComparer.Ordinal));
            }
            yield return Totals(_windows[index], kind);
        }
    }

    private static KindTotals Totals(SortedDictionary<string, KindTotals> kinds, string kind)
    {
        if (!kinds.TryGetValue(kind, out KindTotals? totals))
        {
            kinds.Add(kind, totals = new KindTotals());
        }
        return totals;
    }

    private Second At(double seconds)
    {
        int index = Math.Max(0, (int)seconds);
        while (_seconds.Count <= index)
        {
            _seconds.Add(new Second());
        }
        return _seconds[index];
    }
}
