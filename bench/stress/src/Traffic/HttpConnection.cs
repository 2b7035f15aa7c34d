using System.Buffers;
using System.Buffers.Text;
using System.Net.Security;
using System.Net.Sockets;
using System.Text;

namespace Optiks.Stress.Traffic;

/// <summary>
/// Implements a keep-alive connection with the part of HTTP/1.1 (RFC 9112) that the services use: one request at a time, and answers with a
/// length or in chunks. HttpClient would need several times as much processor time, and a load generator on the same machine takes this
/// time from the services. Only one thread at a time may use a connection.
/// </summary>
internal sealed class HttpConnection : IDisposable
{
    private const int FirstBuffer = 16 << 10;
    private const int MostHeaderOctets = 64 << 10;
    private const int MostBodyOctets = 256 << 20;
    private readonly Socket _socket;
    private readonly Stream _stream;
    private byte[] _buffer = new byte[FirstBuffer];
    private int _start;
    private int _end;

    private HttpConnection(Socket socket, Stream stream)
    {
        _socket = socket;
        _stream = stream;
    }

    /// <summary>Whether the last answer was read to its end and the server did not announce that it closes the connection.</summary>
    public bool Reusable { get; private set; }

    /// <summary>
    /// Whether the connection is still usable. It is unusable if the server has closed it, or has sent data without a request, since the
    /// last answer.
    /// </summary>
    public bool IsOpen => !_socket.Poll(0, SelectMode.SelectRead);

    /// <summary>The timestamp since which the connection is idle, which the pool sets.</summary>
    public long IdleSince { get; set; }

    /// <summary>Connects to a server. Throws <see cref="SocketException"/> or the exceptions of TLS if that fails.</summary>
    public static async Task<HttpConnection> OpenAsync(Uri server, CancellationToken cancellationToken)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket.ConnectAsync(server.DnsSafeHost, server.Port, cancellationToken);
            Stream stream = new NetworkStream(socket, ownsSocket: true);
            if (server.Scheme == Uri.UriSchemeHttps)
            {
                var secure = new SslStream(stream);
                stream = secure;
                await secure.AuthenticateAsClientAsync(
                    new SslClientAuthenticationOptions { TargetHost = server.DnsSafeHost }, cancellationToken);
            }
            return new HttpConnection(socket, stream);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Sends a whole request and reads the whole answer. Throws <see cref="IOException"/> if the connection breaks, and
    /// <see cref="InvalidDataException"/> if the answer is not HTTP/1.1. After an exception the connection is unusable.
    /// </summary>
    public async ValueTask<(int Status, byte[] Body)> ExchangeAsync(ReadOnlyMemory<byte> request, CancellationToken cancellationToken)
    {
        Reusable = false;
        await _stream.WriteAsync(request, cancellationToken);
        AnswerHead head = await ReadHeadAsync(cancellationToken);
        byte[] body = head.Chunked ? await ReadChunksAsync(cancellationToken) : await ReadAsync(head.Length, cancellationToken);
        Reusable = !head.Closes && _start == _end;
        return (head.Status, body);
    }

    public void Dispose() => _stream.Dispose();

    private async ValueTask<AnswerHead> ReadHeadAsync(CancellationToken cancellationToken)
    {
        int searched = 0;
        while (true)
        {
            int end = _buffer.AsSpan(_start + searched, _end - _start - searched).IndexOf("\r\n\r\n"u8);
            if (end >= 0)
            {
                int length = searched + end + 2;
                var head = AnswerHead.Parse(_buffer.AsSpan(_start, length));
                _start += length + 2;
                return head;
            }
            // The next search begins three octets before the end of the read data, because the end of the header fields may be split
            // between this data and the data to come.
            searched = Math.Max(0, _end - _start - 3);
            if (_end - _start > MostHeaderOctets)
            {
                throw new InvalidDataException("The answer's header does not end.");
            }
            await FillAsync(cancellationToken);
        }
    }

    private async ValueTask<byte[]> ReadAsync(int length, CancellationToken cancellationToken)
    {
        if (length == 0)
        {
            return [];
        }
        byte[] body = new byte[length];
        int have = Math.Min(length, _end - _start);
        _buffer.AsSpan(_start, have).CopyTo(body);
        _start += have;
        if (have < length)
        {
            await _stream.ReadExactlyAsync(body.AsMemory(have), cancellationToken);
        }
        return body;
    }

    private async ValueTask<byte[]> ReadChunksAsync(CancellationToken cancellationToken)
    {
        var body = new ArrayBufferWriter<byte>();
        while (true)
        {
            int length = ChunkLength(await ReadLineAsync(cancellationToken));
            if (length > MostBodyOctets - body.WrittenCount)
            {
                throw new InvalidDataException("The answer is too long.");
            }
            if (length == 0)
            {
                // This loop skips the trailers and the empty line after the last chunk.
                while ((await ReadLineAsync(cancellationToken)).Length > 0)
                {
                }
                return body.WrittenSpan.ToArray();
            }
            body.Write(await ReadAsync(length, cancellationToken));
            if ((await ReadLineAsync(cancellationToken)).Length > 0)
            {
                throw new InvalidDataException("A chunk is longer than it says.");
            }
        }
    }

    private static int ChunkLength(ReadOnlySpan<byte> line)
    {
        int extension = line.IndexOf((byte)';');
        ReadOnlySpan<byte> digits = extension < 0 ? line : line[..extension];
        return Utf8Parser.TryParse(digits, out int length, out int consumed, 'x') && consumed == digits.Length && length >= 0
            ? length
            : throw new InvalidDataException("A chunk has no length.");
    }

    private async ValueTask<byte[]> ReadLineAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            int end = _buffer.AsSpan(_start, _end - _start).IndexOf("\r\n"u8);
            if (end >= 0)
            {
                byte[] line = _buffer.AsSpan(_start, end).ToArray();
                _start += end + 2;
                return line;
            }
            if (_end - _start > MostHeaderOctets)
            {
                throw new InvalidDataException("A line of the answer does not end.");
            }
            await FillAsync(cancellationToken);
        }
    }

    private async ValueTask FillAsync(CancellationToken cancellationToken)
    {
        if (_start > 0)
        {
            _buffer.AsSpan(_start, _end - _start).CopyTo(_buffer);
            _end -= _start;
            _start = 0;
        }
        if (_end == _buffer.Length)
        {
            Array.Resize(ref _buffer, 2 * _buffer.Length);
        }
        int read = await _stream.ReadAsync(_buffer.AsMemory(_end), cancellationToken);
        _end += read > 0 ? read : throw new EndOfStreamException("The server closed the connection.");
    }

    /// <summary>Holds the parts of a status line and header fields that this connection uses.</summary>
    internal readonly record struct AnswerHead(int Status, int Length, bool Chunked, bool Closes)
    {
        /// <summary>Parses a status line and header fields, each of which ends with CR LF. Throws <see cref="InvalidDataException"/> if
        /// they are invalid.</summary>
        public static AnswerHead Parse(ReadOnlySpan<byte> lines)
        {
            if (lines.Length < 12 || !lines.StartsWith("HTTP/1.1 "u8) || !Utf8Parser.TryParse(lines[9..12], out int status, out int digits)
                || digits != 3)
            {
                throw new InvalidDataException("The answer is not HTTP/1.1.");
            }
            int? length = null;
            bool chunked = false;
            bool closes = false;
            for (ReadOnlySpan<byte> rest = lines[(lines.IndexOf("\r\n"u8) + 2)..]; rest.Length > 0;)
            {
                int end = rest.IndexOf("\r\n"u8);
                ReadOnlySpan<byte> line = rest[..end];
                rest = rest[(end + 2)..];
                int colon = line.IndexOf((byte)':');
                if (colon < 0)
                {
                    throw new InvalidDataException("A header field of the answer has no colon.");
                }
                ReadOnlySpan<byte> value = line[(colon + 1)..].Trim((byte)' ');
                if (Is(line[..colon], "content-length"))
                {
                    length = Utf8Parser.TryParse(value, out int octets, out int consumed) && consumed == value.Length
                        && octets is >= 0 and <= MostBodyOctets
                        ? octets
                        : throw new InvalidDataException("The answer's length makes no sense.");
                }
                else if (Is(line[..colon], "transfer-encoding"))
                {
                    chunked = Is(value, "chunked") ? true : throw new InvalidDataException("The answer's transfer coding is unknown.");
                }
                else if (Is(line[..colon], "connection"))
                {
                    closes = Is(value, "close");
                }
            }
            return chunked || length is not null || status is 204 or 304
                ? new AnswerHead(status, length ?? 0, chunked, closes)
                : throw new InvalidDataException("The answer has no length.");
        }

        private static bool Is(ReadOnlySpan<byte> text, string name) => Ascii.EqualsIgnoreCase(text, name);
    }
}
