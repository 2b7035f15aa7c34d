namespace Optiks.Client;

/// <summary>
/// AnswerDeadline bounds the time of one whole answer, headers and body: so long to begin with, and more as octets come, at
/// <see cref="LeastOctetsPerSecond"/>. A server that sends an octet now and then keeps nobody waiting, and a long download may take its time. One thread.
/// </summary>
internal sealed class AnswerDeadline : IDisposable
{
    /// <summary>LeastOctetsPerSecond that an answer must come with once the time to begin with is used up.</summary>
    public const int LeastOctetsPerSecond = 16 * 1024;

    private readonly CancellationTokenSource _late;
    private readonly CancellationTokenSource _either;
    private readonly TimeSpan _within;
    private readonly TimeProvider _time;
    private readonly long _started;
    private long _octets;

    public AnswerDeadline(TimeSpan within, TimeProvider time, CancellationToken cancellationToken)
    {
        _within = within;
        _time = time;
        _started = time.GetTimestamp();
        _late = new CancellationTokenSource(within, time);
        _either = CancellationTokenSource.CreateLinkedTokenSource(_late.Token, cancellationToken);
    }

    /// <summary>Token ends when the answer is late, or when the caller's does.</summary>
    public CancellationToken Token => _either.Token;

    /// <summary>Received moves the deadline by what these octets may take.</summary>
    public void Received(int octets)
    {
        _octets += octets;
        TimeSpan left = _within + TimeSpan.FromSeconds((double)_octets / LeastOctetsPerSecond) - _time.GetElapsedTime(_started);
        _late.CancelAfter(left > TimeSpan.Zero ? left : TimeSpan.Zero);
    }

    public void Dispose()
    {
        _either.Dispose();
        _late.Dispose();
    }
}
