using System.Security.Cryptography;

namespace Optiks.Client;

/// <summary>
/// Computes the pauses between the tries of one call. Pauses grow, and are never shorter than the server requested. They are random, so
/// that clients that failed together do not retry together. The last pause ends no later than <see cref="OptiksClientOptions.RetryFor"/>
/// after the start of the call. Not thread-safe.
/// </summary>
internal sealed class Backoff
{
    // With the default delay, the upper bound of the pauses grows from 200 ms to 3.2 s.
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

    /// <summary>Waits until the next try; returns false at once when the next try would be too late.</summary>
    /// <param name="retryAfter">The pause that the server requested; null if it requested no pause.</param>
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
    /// Returns the next pause. If the server requested no pause, the pause is between half of an upper bound and the upper bound. The upper
    /// bound doubles with each call, up to a limit. The parameter <paramref name="random"/>, from 0 to 1, selects a point in this range. If
    /// the server requested a pause, the result is that pause plus at most one <see cref="OptiksClientOptions.RetryDelay"/>.
    /// </summary>
    internal TimeSpan Next(TimeSpan? retryAfter, double random)
    {
        TimeSpan longest = _options.RetryDelay * (1 << _doublings);
        _doublings = Math.Min(_doublings + 1, MaxDoublings);
        return retryAfter is { } asked && asked > TimeSpan.Zero ? asked + (_options.RetryDelay * random) : longest * ((1 + random) / 2);
    }
}
