using System.Net;
using System.Net.Sockets;
using System.Text;
using Optiks.Stress.Traffic;

namespace Optiks.Stress.Tests;

public sealed class HttpConnectionTests
{
    [Theory]
    [InlineData("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", 200, "hello", true)]
    [InlineData("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: Close\r\n\r\n", 503, "", false)]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=1\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: 1\r\n\r\n", 200,
        "hello world", true)]
    [InlineData("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n", 304, "", true)]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nA and what nobody asked for", 200, "A", false)]
    public async Task An_answer_is_read_whole_however_it_comes_in(string answer, int status, string body, bool reusable)
    {
        foreach (int piece in (int[])[1, 7, answer.Length])
        {
            (int Status, byte[] Body, bool Reusable) got = await ExchangeAsync(answer, piece);
            Assert.Equal(status, got.Status);
            Assert.Equal(body, Encoding.ASCII.GetString(got.Body));
            // The connection notices data after the end of the answer only if the data arrived together with the answer.
            Assert.True(got.Reusable == reusable || piece < answer.Length);
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("unasked")]
    public async Task An_idle_connection_that_the_server_ends_or_writes_to_is_not_open(string unasked)
    {
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using HttpConnection connection =
            await HttpConnection.OpenAsync(new Uri($"http://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}"), cancellation);
        using Socket socket = await listener.AcceptSocketAsync(cancellation);
        await socket.SendAsync("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"u8.ToArray(), cancellation);
        await connection.ExchangeAsync("GET / HTTP/1.1\r\n\r\n"u8.ToArray(), cancellation);
        Assert.True(connection is { Reusable: true, IsOpen: true });
        if (unasked.Length > 0)
        {
            await socket.SendAsync(Encoding.ASCII.GetBytes(unasked), cancellation);
        }
        else
        {
            socket.Shutdown(SocketShutdown.Both);
        }
        while (connection.IsOpen)
        {
            await Task.Delay(1, cancellation);
        }
    }

    [Theory]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", typeof(EndOfStreamException))]
    [InlineData("", typeof(EndOfStreamException))]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", typeof(EndOfStreamException))]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhello\r\n0\r\n\r\n", typeof(InvalidDataException))]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n\r\n", typeof(InvalidDataException))]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", typeof(InvalidDataException))]
    [InlineData("HTTP/1.1 200 OK\r\n\r\n", typeof(InvalidDataException))]
    [InlineData("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", typeof(InvalidDataException))]
    [InlineData("HTTP/1.1 20\r\nContent-Length: 0\r\n\r\n", typeof(InvalidDataException))]
    [InlineData("SMTP ready\r\n\r\n", typeof(InvalidDataException))]
    public async Task What_is_cut_short_or_not_HTTP_is_refused(string answer, Type exception) =>
        Assert.IsType(exception, await Record.ExceptionAsync(() => ExchangeAsync(answer, 16)));

    private static async Task<(int Status, byte[] Body, bool Reusable)> ExchangeAsync(string answer, int piece)
    {
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Task serving = ServeAsync(listener, Encoding.ASCII.GetBytes(answer), piece, cancellation);
        using HttpConnection connection =
            await HttpConnection.OpenAsync(new Uri($"http://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}"), cancellation);
        try
        {
            (int status, byte[] body) = await connection.ExchangeAsync("GET / HTTP/1.1\r\n\r\n"u8.ToArray(), cancellation);
            return (status, body, connection.Reusable);
        }
        finally
        {
            await serving;
        }
    }

    private static async Task ServeAsync(TcpListener listener, byte[] answer, int piece, CancellationToken cancellationToken)
    {
        using Socket socket = await listener.AcceptSocketAsync(cancellationToken);
        socket.NoDelay = true;
        await socket.ReceiveAsync(new byte[100], cancellationToken);
        for (int sent = 0; sent < answer.Length; sent += piece)
        {
            await socket.SendAsync(answer.AsMemory(sent, Math.Min(piece, answer.Length - sent)), cancellationToken);
            await Task.Yield();
        }
        socket.Shutdown(SocketShutdown.Send);
    }
}
