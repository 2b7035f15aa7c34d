using System.Globalization;
using Microsoft.Extensions.Primitives;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;

namespace Optiks.QueryService.Endpoints;

/// <summary>
/// Delays a request that asks for an epoch slightly later than the served one, instead of answering <c>not-caught-up</c> at once. Only
/// requests with <c>Prefer: wait=s</c> are delayed (docs/spec/rest.md section 4). Thread-safe.
/// </summary>
/// <remarks>
/// A waiting request holds no memory for its answer, and its body has not been read yet. If the epoch does not come in time, the service
/// answers as if the request had not waited.
/// </remarks>
internal sealed class CatchingUp
{
    /// <summary>The longest wait in seconds, even if the client prefers a longer one.</summary>
    public const int MostSeconds = 2;

    /// <summary>
    /// The largest number of epochs by which the needed epoch may be later than the served one. No request waits for an epoch beyond that
    /// limit, because a client may have made such an epoch up.
    /// </summary>
    public const ulong MostAhead = 8;

    private const string Prefix = "wait=";

    // The largest number of waiting requests. Further requests get the answer <c>not-caught-up</c> at once.
    private const int MostWaiting = 1024;

    private readonly CurrentEpoch _current;
    private readonly TimeProvider _clock;
    private int _waiting;

    public CatchingUp(CurrentEpoch current, TimeProvider clock)
    {
        _current = current;
        _clock = clock;
    }

    /// <summary>Adds this class to the middleware. A request continues once the epoch that it needs is served, or when its wait is
    /// over.</summary>
    public void Use(IApplicationBuilder app) => app.Use(next => context => RunAsync(context, next));

    // Returns the earliest epoch about which the replica may answer this client.
    private static ulong LeastEpoch(ClientPosition position) =>
        Math.Max(position.MinEpoch, position.CheckpointSize > 0 ? position.CheckpointSize - 1 : 0);

    // Returns the preferred wait in seconds, or 0 if the preferences name no valid wait. By RFC 7240, a server ignores preferences that it
    // does not understand.
    private static int ParseSeconds(StringValues preferences)
    {
        foreach (string? line in preferences)
        {
            foreach (string preference in (line ?? "").Split(',', StringSplitOptions.TrimEntries))
            {
                if (preference.StartsWith(Prefix, StringComparison.OrdinalIgnoreCase)
                    && int.TryParse(preference.AsSpan(Prefix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out int seconds))
                {
                    return seconds;
                }
            }
        }
        return 0;
    }

    private async Task RunAsync(HttpContext context, RequestDelegate next)
    {
        if (context.Request.Headers.TryGetValue("Prefer", out StringValues preferences) && ParseSeconds(preferences) is > 0 and int seconds
            && LeastEpoch(ClientPosition.Read(context.Request)) is > 0 and ulong least)
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
                // This code takes the task before it reads the epoch, so that an epoch that begins to be served between these two steps
                // completes the task.
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
            // The wait is over without the epoch, so the request continues as if it had not waited.
        }
        finally
        {
            Interlocked.Decrement(ref _waiting);
        }
    }
}
