using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// Sends single requests with binary or JSON bodies. Answers are bounded in length and time, and a server's problem documents become
/// exceptions. The connection adds the API key or token to the requests that need it, and never sends it unencrypted to another machine. It
/// sends no unencrypted request to a proxy. Thread-safe.
/// </summary>
internal sealed class ServerConnection
{
    // The least rate at which an answer must arrive once its initial time limit has passed.
    private const int LeastOctetsPerSecond = 16 * 1024;

    // An answer may take this many times the initial time limit, whatever its rate. At the least rate, a server could otherwise hold the
    // caller for more than an hour with the longest answer.
    private const int LongestFactor = 10;

    private readonly HttpClient _http;
    private readonly Func<CancellationToken, ValueTask<string>>? _credential;
    private readonly TimeSpan _answerWithin;
    private readonly TimeProvider _time;

    public ServerConnection(HttpClient http, Func<CancellationToken, ValueTask<string>>? credential, TimeSpan answerWithin,
        TimeProvider time)
    {
        _http = http;
        _credential = credential;
        _answerWithin = answerWithin;
        _time = time;
    }

    public bool HasCredential => _credential is not null;

    /// <summary>
    /// Appends a path to a server's URL and keeps the URL's own path, because a proxy may serve a server under a path prefix.
    /// </summary>
    internal static Uri Below(Uri server, string path) => new(server.GetLeftPart(UriPartial.Path).TrimEnd('/') + path, UriKind.Absolute);

    /// <summary>Returns the answer's octets. Throws <see cref="OptiksServerException"/> when there is no usable answer.</summary>
    public async Task<byte[]> SendAsync(ServerRequest request, CancellationToken cancellationToken)
    {
        (Uri server, string path, string? accept, int maxLength) = request;
        using var message = new HttpRequestMessage(request.Body is null ? HttpMethod.Get : HttpMethod.Post, Below(server, path));
        if (accept is not null)
        {
            message.Headers.Accept.Add(new MediaTypeWithQualityHeaderValue(accept));
        }
        if (request.Authorize && _credential is not null)
        {
            RequirePrivacy(server);
            message.Headers.Authorization = new AuthenticationHeaderValue(
                "Bearer", await _credential(cancellationToken).ConfigureAwait(false));
        }
        if (ProxyCheck.FindReader(_http, server) is { } proxy)
        {
            throw new OptiksServerException(
                ServerFailure.Insecure, server,
                $"Nothing is sent to {server.Authority}: the proxy {proxy.Authority} of the HttpClient would read it. Use https, or an HttpClient whose handler has UseProxy = false.");
        }
        if (request.Body is { } body)
        {
            message.Content = new ReadOnlyMemoryContent(body.Octets);
            message.Content.Headers.ContentType = new MediaTypeHeaderValue(body.MediaType);
        }
        using var deadline = new AnswerDeadline(
            _answerWithin, _time, LeastOctetsPerSecond, cancellationToken)
        { Longest = LongestFactor * _answerWithin };
        try
        {
            using HttpResponseMessage response =
                await _http.SendAsync(message, HttpCompletionOption.ResponseHeadersRead, deadline.Token).ConfigureAwait(false);
            byte[] answer = await ReadAsync(response, server, maxLength, deadline).ConfigureAwait(false);
            if (response.StatusCode is not (HttpStatusCode.OK or HttpStatusCode.Accepted))
            {
                throw ProblemDocument.ToException(server, response, answer, _time);
            }
            string? actual = response.Content.Headers.ContentType?.MediaType;
            return accept is null || string.Equals(actual, accept, StringComparison.OrdinalIgnoreCase)
                ? answer
                : throw new OptiksServerException(
                    ServerFailure.Unusable, server, $"{server.Authority} answered with {actual ?? "no media type"} instead of {accept}.");
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
    /// Refuses a server to which the API key or token would go unencrypted. Callers call this before they send anything to any server.
    /// Throws <see cref="OptiksServerException"/>.
    /// </summary>
    public static void RequirePrivacy(Uri server)
    {
        if (server.Scheme == Uri.UriSchemeHttp && !server.IsLoopback)
        {
            throw new OptiksServerException(
                ServerFailure.Insecure, server,
                $"The API key or token is not sent to {server.Authority}, as http shows it to everyone on the way: use the server's https URL, or a tunnel that ends on this machine.");
        }
    }

    /// <summary>
    /// Tells whether the client could not reach the server, or the connection broke before the server's answer ended. HttpClient wraps most
    /// exceptions of this kind. It does not wrap the <see cref="SocketException"/> of a server that closes a new connection before .NET has
    /// read the connection's remote address. It does not wrap the stream's exceptions either while the client reads a body.
    /// </summary>
    private static bool IsConnectionFailure(Exception e) =>
        e is HttpRequestException or HttpIOException or SocketException or IOException { InnerException: SocketException };

    private static async Task<byte[]> ReadAsync(HttpResponseMessage response, Uri server, int maxLength, AnswerDeadline deadline)
    {
        try
        {
            return await AnswerBody.ReadAsync(response.Content, maxLength, deadline).ConfigureAwait(false);
        }
        catch (AnswerTooLongException e)
        {
            throw new OptiksServerException(
                ServerFailure.Unusable, server, $"{server.Authority} answered with more than {maxLength} octets.", e);
        }
    }
}
