using System.Globalization;
using Microsoft.Extensions.Primitives;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Following;

namespace Optiks.QueryService.Endpoints;

/// <summary>
/// Has a request wait that names a little more of the log than is served here, if it says that it would rather wait than hear <c>not-caught-up</c>: <c>Prefer: wait=s</c> (docs/spec/rest.md section 4). Any thread.
/// </summary>
/// <remarks>It holds no memory of an answer and has read no body meanwhile. Who waits in vain is answered as without it.</remarks>
internal sealed class CatchingUp
{
    /// <summary>MostSeconds that are waited, whatever is preferred.</summary>
    public const int MostSeconds = 2;

    /// <summary>How many epochs are worth waiting for: nobody waits for one that anybody made up.</summary>
    public const ulong MostAhead = 8;

    private const string Prefix = "wait=";

    // The others hear at once that this replica is behind.
    private const int MostWaiting = 1024;

    private readonly CurrentEpoch _current;
    private readonly TimeProvider _clock;
    private int _waiting;

    public CatchingUp(CurrentEpoch current, TimeProvider clock)
    {
        _current = current;
        _clock = clock;
    }

    /// <summary>Has a request go on once what it names is served, or when it has waited long enough.</summary>
    public void Use(IApplicationBuilder app) => app.Use(next => context => RunAsync(context, next));

    // The epoch from which on the replica may answer.
    private static ulong LeastOf(ClientPosition position) => Math.Max(position.MinEpoch, position.CheckpointSize > 0 ? position.CheckpointSize - 1 : 0);

    // RFC 7240: what is not understood is as if it were not there.
    private static int SecondsOf(StringValues preferences)
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
        if (context.Request.Headers.TryGetValue("Prefer", out StringValues preferences) && SecondsOf(preferences) is > 0 and int seconds && LeastOf(ClientPosition.Read(context.Request)) is > 0 and ulong least)
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
                // Before the epoch is looked at: one that comes afterwards completes it.
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
            // It is answered as what it is.
        }
        finally
        {
            Interlocked.Decrement(ref _waiting);
        }
    }
}
