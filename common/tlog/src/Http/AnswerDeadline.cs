namespace Optiks.Tlog;

/// <summary>
/// Limits the time for one whole answer, headers and body. For a streamed body, HttpClient's own time limit covers only the headers. If a
/// least rate is given, the deadline moves as bytes arrive. A long answer then gets the time that it needs, but a server that sends only a
/// byte now and then cannot delay the caller. Only one thread may use an instance.
/// </summary>
public sealed class AnswerDeadline : IDisposable
{
    private readonly CancellationTokenSource _late;
    private readonly CancellationTokenSource _either;
    private readonly TimeSpan _within;
    private readonly TimeProvider _time;
    private readonly CancellationToken _caller;
    private readonly long _leastOctetsPerSecond;
    private readonly long _started;
    private long _octets;

    /// <summary>Starts the time limit now.</summary>
    /// <param name="within">The time limit for the answer, which may be infinite. If there is a least rate, the time that the received
    /// bytes may take at that rate is added.</param>
    /// <param name="time">The clock.</param>
    /// <param name="leastOctetsPerSecond">The rate in bytes per second below which an answer is too slow; 0 means that the deadline does
    /// not move.</param>
    /// <param name="cancellationToken">The caller's token, which cancels the wait for the answer.</param>
    public AnswerDeadline(TimeSpan within, TimeProvider time, long leastOctetsPerSecond, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(time);
        ArgumentOutOfRangeException.ThrowIfNegative(leastOctetsPerSecond);
        _within = within;
        _time = time;
        _caller = cancellationToken;
        _leastOctetsPerSecond = leastOctetsPerSecond;
        _started = time.GetTimestamp();
        _late = new CancellationTokenSource(within, time);
        _either = CancellationTokenSource.CreateLinkedTokenSource(_late.Token, cancellationToken);
    }

    /// <summary>
    /// The longest time that an answer may take, at whatever rate it arrives. Without this bound, a server could hold the caller for hours
    /// by sending a long answer at hardly more than the least rate.
    /// </summary>
    public TimeSpan Longest { get; init; } = TimeSpan.MaxValue;

    /// <summary>The token that is cancelled when the deadline passes, or when the caller's token is cancelled.</summary>
    public CancellationToken Token => _either.Token;

    /// <summary>Whether the deadline has passed. The value is false if the caller cancelled the wait.</summary>
    public bool IsLate => _late.IsCancellationRequested && !_caller.IsCancellationRequested;

    /// <summary>Moves the deadline by the time that these bytes may take at the least rate.</summary>
    public void Received(int octets)
    {
        if (_leastOctetsPerSecond == 0 || _within == Timeout.InfiniteTimeSpan)
        {
            return;
        }
        _octets += octets;
        TimeSpan allowed = _within + TimeSpan.FromSeconds((double)_octets / _leastOctetsPerSecond);
        TimeSpan left = (allowed < Longest ? allowed : Longest) - _time.GetElapsedTime(_started);
        _late.CancelAfter(left > TimeSpan.Zero ? left : TimeSpan.Zero);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _either.Dispose();
        _late.Dispose();
    }
}
