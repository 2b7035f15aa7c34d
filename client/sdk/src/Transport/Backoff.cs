using System.Security.Cryptography;

namespace Optiks.Client;

/// <summary>
/// Computes the pauses between the tries of one call. Pauses grow, are random so that clients that failed together do not return together,
/// and are never shorter than the server requested. The last one ends within <see cref="OptiksClientOptions.RetryFor"/>. Not thread-safe.
/// </summary>
internal sealed class Backoff
{
    // With the default this is from 200 ms to 3.2 s.
    private const int MaxDoublings = 4;

    private const int Steps = 1 << 16;

    private readonly OptiksClientOptions _options;
    private readonly TimeProvider _time;
    private readonly long _started;
    private int _doublings;

    public Backoff(OptiksClientOptions options, TimeProvider time)
    {
        _options = options;
        _time = time;
        _started = time.GetTimestamp();
    }

    /// <summary>Waits until the next try; returns false at once when that would be too late.</summary>
    /// <param name="retryAfter">The pause that the server requested; null if it requested none.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    public async Task<bool> TryWaitAsync(TimeSpan? retryAfter, CancellationToken cancellationToken)
    {
        TimeSpan pause = Next(retryAfter, RandomNumberGenerator.GetInt32(Steps + 1) / (double)Steps);
        if (_time.GetElapsedTime(_started) + pause > _options.RetryFor)
        {
            return false;
        }
        await Task.Delay(pause, _time, cancellationToken).ConfigureAwait(false);
        return true;
    }

    /// <summary>
    /// Returns the next pause. Without a request of the server, <paramref name="random"/>, in 0..1, places it between half and the whole of
    /// a time that doubles. Otherwise the pause is what the server requested and up to one more
    /// <see cref="OptiksClientOptions.RetryDelay"/>.
    /// </summary>
    internal TimeSpan Next(TimeSpan? retryAfter, double random)
    {
        TimeSpan longest = _options.RetryDelay * (1 << _doublings);
        _doublings = Math.Min(_doublings + 1, MaxDoublings);
        return retryAfter is { } asked && asked > TimeSpan.Zero ? asked + (_options.RetryDelay * random) : longest * ((1 + random) / 2);
    }
}
