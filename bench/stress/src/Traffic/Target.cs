using System.Net.Http.Headers;
using System.Text.Json;

namespace Optiks.Stress.Traffic;

/// <summary>Target is the connection to the services. Any thread.</summary>
internal sealed class Target : IDisposable
{
    private readonly HttpClient _http;
    private readonly string? _apiKey;
    private readonly TimeSpan _timeout;
    private readonly TimeProvider _time;

    public Target(TargetOptions options, TimeProvider time)
    {
        _apiKey = options.ApiKey;
        _timeout = options.Timeout;
        _time = time;
        var handler = new SocketsHttpHandler
        {
            AllowAutoRedirect = false,
            UseProxy = false,
            UseCookies = false,
            AutomaticDecompression = System.Net.DecompressionMethods.None,
            MaxConnectionsPerServer = options.MaxInFlight,
            ActivityHeadersPropagator = null,
        };
        _http = new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan };
    }

    /// <summary>SendAsync sends a request and reads the whole answer. Failures are part of the reply, not exceptions; only the caller's cancellation throws.</summary>
    /// <param name="server">Base URL.</param>
    /// <param name="path">Path and query.</param>
    /// <param name="accept">Media type of the answer.</param>
    /// <param name="body">Null: GET.</param>
    /// <param name="contentType">Of the body.</param>
    /// <param name="authorize">With the API key.</param>
    /// <param name="extra">Time on top of the time limit, for requests that ask the server to wait.</param>
    /// <param name="cancellationToken">Ends the request.</param>
    public async Task<Reply> SendAsync(
        Uri server, string path, string accept, ReadOnlyMemory<byte>? body, string contentType, bool authorize, TimeSpan extra, CancellationToken cancellationToken)
    {
        using var request = new HttpRequestMessage(body is null ? HttpMethod.Get : HttpMethod.Post, new Uri(server, path));
        request.Headers.TryAddWithoutValidation("Accept", accept);
        if (authorize && _apiKey is not null)
        {
            request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", _apiKey);
        }
        if (body is { } octets)
        {
            request.Content = new ReadOnlyMemoryContent(octets);
            request.Content.Headers.TryAddWithoutValidation("Content-Type", contentType);
        }
        using var limit = new CancellationTokenSource(_timeout + extra, _time);
        using var both = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            using HttpResponseMessage response = await _http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, both.Token);
            byte[] answer = await response.Content.ReadAsByteArrayAsync(both.Token);
            return new Reply((int)response.StatusCode, answer, response.IsSuccessStatusCode ? null : Problem((int)response.StatusCode, answer));
        }
        catch (OperationCanceledException) when (limit.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            return new Reply(0, [], "timeout");
        }
        catch (HttpRequestException e)
        {
            return new Reply(0, [], e.HttpRequestError == HttpRequestError.ConnectionError ? "unreachable" : "connection-broken");
        }
        catch (IOException)
        {
            return new Reply(0, [], "connection-broken");
        }
    }

    public void Dispose() => _http.Dispose();

    // The problem's own name where the answer has one.
    private static string Problem(int status, byte[] answer)
    {
        const string Prefix = "urn:optiks:problem:";
        try
        {
            using var document = JsonDocument.Parse(answer);
            if (document.RootElement.ValueKind == JsonValueKind.Object
                && document.RootElement.TryGetProperty("type", out JsonElement type)
                && type.ValueKind == JsonValueKind.String
                && type.GetString()!.StartsWith(Prefix, StringComparison.Ordinal))
            {
                return type.GetString()![Prefix.Length..];
            }
        }
        catch (JsonException)
        {
            return $"status-{status}";
        }
        return $"status-{status}";
    }
}
