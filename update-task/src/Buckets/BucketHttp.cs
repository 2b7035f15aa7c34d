using Amazon.Runtime;
using Optiks.Tlog;

namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// Makes the HTTP client that the S3 library uses for a bucket. The library reads answers of any length, and it cannot cancel the reading
/// of some answers. This class therefore reads every answer except an object's contents into bounded memory, before the library sees the
/// answer.
/// </summary>
internal sealed class BucketHttp : HttpClientFactory
{
    // The limit on the length of an answer that is not an object's contents. The longest such answer lists a thousand keys of 1,024 bytes
    // with their metadata, and is shorter than this.
    private const int MaxAnswerLength = 4 << 20;
    private static readonly TimeSpan s_connectTimeout = TimeSpan.FromSeconds(5);

    /// <inheritdoc/>
    public override HttpClient CreateHttpClient(IClientConfig clientConfig)
    {
        var sockets = new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false, ConnectTimeout = s_connectTimeout };
        // The client itself has no timeout, because the sender of each request sets a deadline for the request and its whole answer.
        return new HttpClient(new BoundedAnswers(sockets)) { Timeout = Timeout.InfiniteTimeSpan };
    }

    /// <summary>
    /// Reads every answer into bounded memory, except an object's contents, which the class <see cref="S3ObjectStore"/> reads.
    /// </summary>
    private sealed class BoundedAnswers(HttpMessageHandler inner) : DelegatingHandler(inner)
    {
        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            HttpResponseMessage response = await base.SendAsync(request, cancellationToken);
            if (response.IsSuccessStatusCode && request.Method == HttpMethod.Get
                && !request.RequestUri!.Query.Contains("list-type=", StringComparison.Ordinal))
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
