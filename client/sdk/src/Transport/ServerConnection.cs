using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace Optiks.Client;

/// <summary>ServerConnection sends single requests: binary or JSON bodies, bounded answers, problems as exceptions. Any thread.</summary>
internal sealed class ServerConnection
{
    private readonly HttpClient _http;
    private readonly string? _apiKey;
    private readonly TimeProvider _time;

    public ServerConnection(HttpClient http, string? apiKey, TimeProvider time)
    {
        _http = http;
        _apiKey = apiKey;
        _time = time;
    }

    public bool HasApiKey => _apiKey is not null;

    /// <summary>GET of a path below the server, at most so many octets of the media type.</summary>
    public Task<byte[]> GetAsync(Uri server, string path, string accept, int maxLength, bool authorize, CancellationToken cancellationToken) =>
        SendAsync(HttpMethod.Get, server, path, null, null, accept, maxLength, authorize, cancellationToken);

    /// <summary>POST of a body.</summary>
    public Task<byte[]> PostAsync(
        Uri server, string path, byte[] body, string contentType, string accept, int maxLength, bool authorize, CancellationToken cancellationToken) =>
        SendAsync(HttpMethod.Post, server, path, body, contentType, accept, maxLength, authorize, cancellationToken);

    private async Task<byte[]> SendAsync(
        HttpMethod method, Uri server, string path, byte[]? body, string? contentType, string accept, int maxLength, bool authorize, CancellationToken cancellationToken)
    {
        using var request = new HttpRequestMessage(method, new Uri(server, path));
        request.Headers.Accept.Add(new MediaTypeWithQualityHeaderValue(accept));
        if (authorize && _apiKey is not null)
        {
            request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", _apiKey);
        }
        if (body is not null)
        {
            request.Content = new ByteArrayContent(body);
            request.Content.Headers.ContentType = new MediaTypeHeaderValue(contentType!);
        }
        try
        {
            using HttpResponseMessage response = await _http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellationToken).ConfigureAwait(false);
            byte[] answer = await ReadAsync(response, server, maxLength, cancellationToken).ConfigureAwait(false);
            if (response.StatusCode is not (HttpStatusCode.OK or HttpStatusCode.Accepted))
            {
                throw ProblemDocument.ToException(server, response, answer, _time);
            }
            string? actual = response.Content.Headers.ContentType?.MediaType;
            return string.Equals(actual, accept, StringComparison.OrdinalIgnoreCase)
                ? answer
                : throw new OptiksServerException(ServerFailure.Unusable, server, $"{server.Authority} answered with {actual ?? "no media type"} instead of {accept}.");
        }
        catch (Exception e) when (IsConnectionFailure(e))
        {
            throw new OptiksServerException(ServerFailure.Unreachable, server, $"{server.Authority} cannot be reached: {e.Message}", e);
        }
        catch (OperationCanceledException e) when (!cancellationToken.IsCancellationRequested)
        {
            throw new OptiksServerException(ServerFailure.Unreachable, server, $"{server.Authority} did not answer in time.", e);
        }
    }

    /// <summary>
    /// IsConnectionFailure tells whether the server was not reached, or went away before its answer ended. HttpClient wraps most of it; not that a peer had closed between connecting and asking who it is
    /// (SocketException), and while a body is read the stream's own exceptions come through.
    /// </summary>
    internal static bool IsConnectionFailure(Exception e) => e is HttpRequestException or HttpIOException or SocketException or IOException { InnerException: SocketException };

    // Counted while reading: the header may be missing or false.
    private static async Task<byte[]> ReadAsync(HttpResponseMessage response, Uri server, int maxLength, CancellationToken cancellationToken)
    {
        Stream body = await response.Content.ReadAsStreamAsync(cancellationToken).ConfigureAwait(false);
        await using ConfiguredAsyncDisposable _ = body.ConfigureAwait(false);
        using var octets = new MemoryStream();
        byte[] buffer = new byte[16 * 1024];
        for (int read; (read = await body.ReadAsync(buffer, cancellationToken).ConfigureAwait(false)) > 0;)
        {
            if (octets.Length + read > maxLength)
            {
                throw new OptiksServerException(ServerFailure.Unusable, server, $"{server.Authority} answered with more than {maxLength} octets.");
            }
            octets.Write(buffer, 0, read);
        }
        return octets.ToArray();
    }
}
