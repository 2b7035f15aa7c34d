using System.Security.Cryptography;

namespace Optiks.Client;

/// <summary>
/// Backoff gives the pauses between the tries of one call: ever longer, at random moments so that clients that failed together do not return together, never shorter than the server
/// asked for, and none beyond <see cref="OptiksClientOptions.RetryFor"/>. One thread.
/// </summary>
internal sealed class Backoff
{
    // From the default of 200 ms to 3.2 s.
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

    /// <summary>TryWaitAsync waits for the next try's moment; false, at once, when it would be too late.</summary>
    /// <param name="retryAfter">What the server asked for; null: nothing.</param>
    /// <param name="cancellationToken">Ends the waiting.</param>
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

    /// <summary>Next pause: <paramref name="random"/>, in 0..1, places it between half and the whole of a time that doubles, behind what the server asked for.</summary>
    internal TimeSpan Next(TimeSpan? retryAfter, double random)
    {
        TimeSpan longest = _options.RetryDelay * (1 << _doublings);
        _doublings = Math.Min(_doublings + 1, MaxDoublings);
        return retryAfter is { } asked && asked > TimeSpan.Zero ? asked + (_options.RetryDelay * random) : longest * ((1 + random) / 2);
    }
}
