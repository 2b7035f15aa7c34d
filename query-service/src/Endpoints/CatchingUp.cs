using System.Globalization;
using Microsoft.Extensions.Primitives;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;

namespace Optiks.QueryService.Endpoints;

/// <summary>
/// Delays a request that asks for an epoch slightly beyond the served epoch, instead of answering <c>not-caught-up</c> at once. It delays
/// only requests with <c>Prefer: wait=s</c> (docs/spec/rest.md section 4). Thread-safe.
/// </summary>
/// <remarks>
/// A waiting request holds no memory of an answer, and its body is not read yet. When the epoch does not come in time, the request is
/// answered as if it had not waited.
/// </remarks>
internal sealed class CatchingUp
{
    /// <summary>The longest wait in seconds, whatever the client prefers.</summary>
    public const int MostSeconds = 2;

    /// <summary>
    /// A request may wait for an epoch that is at most this many epochs ahead, so that no request waits for an epoch that a client made up.
    /// </summary>
    public const ulong MostAhead = 8;

    private const string Prefix = "wait=";

    // The largest number of waiting requests. Further requests are answered at once that this replica is behind.
    private const int MostWaiting = 1024;

    private readonly CurrentEpoch _current;
    private readonly TimeProvider _clock;
    private int _waiting;

    public CatchingUp(CurrentEpoch current, TimeProvider clock)
    {
        _current = current;
        _clock = clock;
    }

    /// <summary>Lets a request continue once the epoch that it needs is served, or when it has waited long enough.</summary>
    public void Use(IApplicationBuilder app) => app.Use(next => context => RunAsync(context, next));

    // Returns the least epoch with which the replica may answer.
    private static ulong LeastEpoch(ClientPosition position) => Math.Max(position.MinEpoch, position.CheckpointSize > 0 ? position.CheckpointSize - 1 : 0);

    // Returns 0 when the preferences name no wait: RFC 7240 says that preferences that are not understood are ignored.
    private static int ParseSeconds(StringValues preferences)
    {
        foreach (string? line in preferences)
        {
            foreach (string preference in (line ?? "").Split(',', StringSplitOptions.TrimEntries))
            {
                if (preference.StartsWith(Prefix, StringComparison.OrdinalIgnoreCase) && int.TryParse(preference.AsSpan(Prefix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out int seconds))
                {
                    return seconds;
                }
            }
        }
        return 0;
    }

    private async Task RunAsync(HttpContext context, RequestDelegate next)
    {
        if (context.Request.Headers.TryGetValue("Prefer", out StringValues preferences) && ParseSeconds(preferences) is > 0 and int seconds && LeastEpoch(ClientPosition.Read(context.Request)) is > 0 and ulong least)
        {
            await WaitAsync(least, TimeSpan.FromSeconds(Math.Min(seconds, MostSeconds)), context.RequestAborted);
        }
        await next(context);
    }

    private async Task WaitAsync(ulong least, TimeSpan limit, CancellationToken cancellationToken)
    {
        try
        {
            if (Interlocked.Increment(ref _waiting) > MostWaiting)
            {
                return;
            }
            long begun = _clock.GetTimestamp();
            while (true)
            {
                // This code takes the task before it reads the epoch, so that an epoch that is served in between completes the task.
                Task later = _current.Later;
                TimeSpan left = limit - _clock.GetElapsedTime(begun);
                if (_current.Peek() is not { } epoch || least <= epoch.Epoch || least - epoch.Epoch > MostAhead || left <= TimeSpan.Zero)
                {
                    return;
                }
                await later.WaitAsync(left, _clock, cancellationToken);
            }
        }
        catch (TimeoutException)
        {
            // The wait took too long: the request is now answered as if it had not waited.
        }
        finally
        {
            Interlocked.Decrement(ref _waiting);
        }
    }
}
