using Amazon.Runtime;
using Optiks.Tlog;

namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// BucketHttp makes the HTTP client of a bucket. The storage client reads answers without a bound, and in part without a way to end it; here an answer other than an object is in memory, bounded, before that client sees it.
/// </summary>
internal sealed class BucketHttp : HttpClientFactory
{
    // A page of a thousand keys of 1,024 octets is shorter, with what is said about each.
    private const int MaxAnswerLength = 4 << 20;
    private static readonly TimeSpan s_connectTimeout = TimeSpan.FromSeconds(5);

    /// <inheritdoc/>
    public override HttpClient CreateHttpClient(IClientConfig clientConfig)
    {
        var sockets = new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false, ConnectTimeout = s_connectTimeout };
        // Whoever sends a request has a deadline of its own, to the last octet of the answer.
        return new HttpClient(new BoundedAnswers(sockets)) { Timeout = Timeout.InfiniteTimeSpan };
    }

    /// <summary>BoundedAnswers reads every answer but that with an object, which <see cref="S3ObjectStore"/> reads itself.</summary>
    private sealed class BoundedAnswers(HttpMessageHandler inner) : DelegatingHandler(inner)
    {
        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            HttpResponseMessage response = await base.SendAsync(request, cancellationToken);
            if (response.IsSuccessStatusCode && request.Method == HttpMethod.Get && !request.RequestUri!.Query.Contains("list-type=", StringComparison.Ordinal))
            {
                return response;
            }
            using HttpContent content = response.Content;
            try
            {
                using var deadline = new AnswerDeadline(Timeout.InfiniteTimeSpan, TimeProvider.System, 0, cancellationToken);
                response.Content = new ByteArrayContent(await AnswerBody.ReadAsync(content, MaxAnswerLength, deadline));
            }
            catch
            {
                response.Dispose();
                throw;
            }
            foreach ((string name, IEnumerable<string> values) in content.Headers)
            {
                _ = response.Content.Headers.TryAddWithoutValidation(name, values);
            }
            return response;
        }
    }
}
