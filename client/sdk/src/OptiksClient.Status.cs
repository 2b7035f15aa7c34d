using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    /// <summary>
    /// Asks for the outcome of an update, by the id under which the server accepted it. The outcome is only the server's statement; only a
    /// lookup proves what the log shows. The call needs an API key or token with the scope <c>update</c>. Throws
    /// <see cref="OptiksServerException"/>, also if the server does not know the id.
    /// </summary>
    /// <param name="requestId">Id of the request.</param>
    /// <param name="atMost">The longest time to wait while the update is pending; zero to return at once.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    public Task<RequestOutcome> StatusAsync(Guid requestId, TimeSpan atMost, CancellationToken cancellationToken = default)
    {
        Uri server = UpdateUrl();
        return PollAsync($"/v1/updates/{requestId:D}", atMost, answer => RequestOutcomeJson.Parse(answer, requestId, server),
            now => now.Status == UpdateStatus.Pending, cancellationToken);
    }

    private async Task<T> PollAsync<T>(
        string path, TimeSpan atMost, Func<byte[], T> read, Func<T, bool> isPending, CancellationToken cancellationToken)
    {
        long started = _time.GetTimestamp();
        while (true)
        {
            TimeSpan left = atMost - _time.GetElapsedTime(started);
            int wait = (int)Math.Clamp(Math.Ceiling(left.TotalSeconds), 0, LongestServerWaitSeconds);
            var request = new ServerRequest(UpdateUrl(), $"{path}?wait={wait}", MediaTypes.Json, MaxStatusLength) { Authorize = true };
            T now = read(await RetryAsync(request, cancellationToken).ConfigureAwait(false));
            if (!isPending(now) || left <= TimeSpan.Zero)
            {
                return now;
            }
            await Task.Delay(_options.RetryDelay, _time, cancellationToken).ConfigureAwait(false);
        }
    }
}
