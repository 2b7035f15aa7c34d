using System.Buffers;
using System.Collections.Concurrent;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Text;
using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Stress.Traffic;

/// <summary>
/// Keeps a pool of connections to the services, with as many connections as there were requests in flight at the same time. A request uses
/// the connection that was idle longest. Otherwise, rarely used connections would become too old and be closed. The next time that answers
/// are late, many requests would then wait at once for new connections and their TLS handshakes. Any thread may use it.
/// </summary>
internal sealed class Target : IDisposable
{
    // The time for which an idle connection is kept. Kestrel keeps an idle connection for a longer time. So the program never sends a
    // request on a connection that Kestrel is about to close.
    private const double MostIdleSeconds = 60;
    private readonly ConcurrentDictionary<string, ConcurrentQueue<HttpConnection>> _idle = new(StringComparer.Ordinal);
    private readonly string? _apiKey;
    private readonly TimeSpan _timeout;
    private readonly TimeProvider _time;

    public Target(TargetOptions options, TimeProvider time)
    {
        _apiKey = options.ApiKey;
        _timeout = options.Timeout;
        _time = time;
    }

    /// <summary>
    /// Sends a request and reads the whole answer. Failures are part of the reply; the method throws an exception only if the caller
    /// cancels.
    /// </summary>
    /// <param name="server">The base URL of the server.</param>
    /// <param name="path">The path and query of the URL.</param>
    /// <param name="accept">The media type of the answer.</param>
    /// <param name="body">The body of a POST request; null for a GET request.</param>
    /// <param name="contentType">The media type of the body.</param>
    /// <param name="authorize">Whether to send the API key.</param>
    /// <param name="extra">The time that is added to the time limit, for requests that ask the server to wait.</param>
    /// <param name="cancellationToken">Ends the request.</param>
    public async Task<Reply> SendAsync(
        Uri server, string path, string accept, ReadOnlyMemory<byte>? body, string contentType, bool authorize, TimeSpan extra,
        CancellationToken cancellationToken)
    {
        ConcurrentQueue<HttpConnection> idle = _idle.GetOrAdd(server.Authority, _ => new());
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(_timeout + extra);
        byte[] request = ArrayPool<byte>.Shared.Rent((body?.Length ?? 0) + MostHeaderOctets(server, path, accept, contentType));
        HttpConnection? connection = null;
        try
        {
            int length = Write(request, server, path, accept, body, contentType, authorize ? _apiKey : null);
            connection = Take(idle) ?? await HttpConnection.OpenAsync(server, limit.Token);
            (int status, byte[] answer) = await connection.ExchangeAsync(request.AsMemory(0, length), limit.Token);
            return new Reply(status, answer, status is >= 200 and < 300 ? null : Problem(status, answer));
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return new Reply(0, [], "timeout");
        }
        catch (Exception e) when (e is SocketException or AuthenticationException)
        {
            return new Reply(0, [], "unreachable");
        }
        catch (Exception e) when (e is IOException or InvalidDataException)
        {
            return new Reply(
                0, [], connection is null ? "unreachable" : e is InvalidDataException ? "unusable-answer" : "connection-broken");
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(request);
            if (connection is { Reusable: true })
            {
                connection.IdleSince = _time.GetTimestamp();
                idle.Enqueue(connection);
            }
            else
            {
                connection?.Dispose();
            }
        }
    }

    public void Dispose()
    {
        foreach (ConcurrentQueue<HttpConnection> idle in _idle.Values)
        {
            while (idle.TryDequeue(out HttpConnection? connection))
            {
                connection.Dispose();
            }
        }
    }

    private HttpConnection? Take(ConcurrentQueue<HttpConnection> idle)
    {
        while (idle.TryDequeue(out HttpConnection? connection))
        {
            if (_time.GetElapsedTime(connection.IdleSince).TotalSeconds < MostIdleSeconds && connection.IsOpen)
            {
                return connection;
            }
            connection.Dispose();
        }
        return null;
    }

    private int MostHeaderOctets(Uri server, string path, string accept, string contentType) =>
        256 + server.Authority.Length + path.Length + accept.Length + contentType.Length + (_apiKey?.Length ?? 0);

    private static int Write(
        byte[] request, Uri server, string path, string accept, ReadOnlyMemory<byte>? body, string contentType, string? apiKey)
    {
        int length = 0;
        void Add(string text) => length += Encoding.ASCII.GetBytes(text, request.AsSpan(length));
        Add(body is null ? "GET " : "POST ");
        Add(path);
        Add(" HTTP/1.1\r\nHost: ");
        Add(server.Authority);
        Add("\r\nAccept: ");
        Add(accept);
        if (apiKey is not null)
        {
            Add("\r\nAuthorization: Bearer ");
            Add(apiKey);
        }
        if (body is { } octets)
        {
            Add("\r\nContent-Type: ");
            Add(contentType);
            Add(string.Create(System.Globalization.CultureInfo.InvariantCulture, $"\r\nContent-Length: {octets.Length}"));
        }
        Add("\r\n\r\n");
        if (body is { } content)
        {
            content.Span.CopyTo(request.AsSpan(length));
            length += content.Length;
        }
        return length;
    }

    // Returns the name of the problem in an error answer. If the answer has no problem details, returns a name for its status.
    private static string Problem(int status, byte[] answer)
    {
        try
        {
            using var document = JsonDocument.Parse(answer);
            if (document.RootElement.ValueKind == JsonValueKind.Object
                && document.RootElement.TryGetProperty("type", out JsonElement type)
                && type.ValueKind == JsonValueKind.String
                && type.GetString()!.StartsWith(ProblemNames.UrnPrefix, StringComparison.Ordinal))
            {
                return type.GetString()![ProblemNames.UrnPrefix.Length..];
            }
        }
        catch (JsonException)
        {
            return $"status-{status}";
        }
        return $"status-{status}";
    }
}
