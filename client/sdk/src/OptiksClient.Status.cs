using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    /// <summary>
    /// StatusAsync asks what became of an update, by the id under which it was accepted. The server's word: only a lookup proves what the log shows. Needs an API key or token with the scope update.
    /// Throws <see cref="OptiksServerException"/> also for an id that the server does not know.
    /// </summary>
    /// <param name="requestId">Id of the request.</param>
    /// <param name="atMost">How long to wait while it is pending; zero: not at all.</param>
    /// <param name="cancellationToken">Ends the waiting.</param>
    public async Task<RequestOutcome> StatusAsync(Guid requestId, TimeSpan atMost, CancellationToken cancellationToken = default)
    {
        long started = _time.GetTimestamp();
        while (true)
        {
            TimeSpan left = atMost - _time.GetElapsedTime(started);
            int wait = (int)Math.Clamp(Math.Ceiling(left.TotalSeconds), 0, LongestServerWaitSeconds);
            var request = new ServerRequest(UpdateUrl(), $"/v1/updates/{requestId:D}?wait={wait}", MediaTypes.Json, MaxStatusLength) { Authorize = true };
            byte[] answer = await RetryAsync(request, cancellationToken).ConfigureAwait(false);
            RequestOutcome now = RequestOutcomeJson.Parse(answer, requestId, UpdateUrl());
            if (now.Status != UpdateStatus.Pending || left <= TimeSpan.Zero)
            {
                return now;
            }
            await Task.Delay(_options.RetryDelay, _time, cancellationToken).ConfigureAwait(false);
        }
    }
}
