namespace Optiks.Tlog;

/// <summary>
/// AnswerDeadline bounds the time of one whole answer, headers and body. HttpClient's own limit ends with the headers when the body is streamed. With a least rate the deadline moves as octets come, so that a long answer may take its
/// time, and a server that sends an octet now and then keeps nobody waiting. One thread.
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

    /// <summary>AnswerDeadline that begins now.</summary>
    /// <param name="within">Time of the answer, infinite too. With a least rate: the time that the answer has besides what the rate gives it.</param>
    /// <param name="time">The clock.</param>
    /// <param name="leastOctetsPerSecond">Rate of a long answer; 0: the deadline does not move.</param>
    /// <param name="cancellationToken">Ends the waiting of the caller.</param>
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

    /// <summary>Token ends when the answer is late, or when the caller's does.</summary>
    public CancellationToken Token => _either.Token;

    /// <summary>IsLate says whether the time is over, and not the caller's patience.</summary>
    public bool IsLate => _late.IsCancellationRequested && !_caller.IsCancellationRequested;

    /// <summary>Received moves the deadline by the time that these octets may take at the least rate.</summary>
    public void Received(int octets)
    {
        if (_leastOctetsPerSecond == 0 || _within == Timeout.InfiniteTimeSpan)
        {
            return;
        }
        _octets += octets;
        TimeSpan left = _within + TimeSpan.FromSeconds((double)_octets / _leastOctetsPerSecond) - _time.GetElapsedTime(_started);
        _late.CancelAfter(left > TimeSpan.Zero ? left : TimeSpan.Zero);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _either.Dispose();
        _late.Dispose();
    }
}
