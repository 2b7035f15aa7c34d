using Amazon.Runtime;
using Optiks.Tlog;

namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// Makes the HTTP client of a bucket. The storage client reads answers without a bound, and some of them without a way to cancel. This
/// class reads every answer except an object into bounded memory before the storage client sees it.
/// </summary>
internal sealed class BucketHttp : HttpClientFactory
{
    // The longest other answer, a page of a thousand keys of 1,024 bytes with their metadata, is shorter than this.
    private const int MaxAnswerLength = 4 << 20;
    private static readonly TimeSpan s_connectTimeout = TimeSpan.FromSeconds(5);

    /// <inheritdoc/>
    public override HttpClient CreateHttpClient(IClientConfig clientConfig)
    {
        var sockets = new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false, ConnectTimeout = s_connectTimeout };
        // The sender of each request sets its own deadline, up to the last byte of the answer.
        return new HttpClient(new BoundedAnswers(sockets)) { Timeout = Timeout.InfiniteTimeSpan };
    }

    /// <summary>Reads every answer within a bound, except objects, which <see cref="S3ObjectStore"/> reads itself.</summary>
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
