using System.Globalization;
using System.Net.Sockets;
using System.Text;

namespace Optiks.QueryService.Tests;

/// <summary>Sends one request over a connection of its own, and reads the answer only when the test asks for more of it.</summary>
internal sealed class SlowReader : IDisposable
{
    private readonly TcpClient _client = new() { ReceiveBufferSize = 4096 };

    private SlowReader()
    {
    }

    /// <summary>Connects to the server and sends a request.</summary>
    public static async Task<SlowReader> SendAsync(Uri server, string method, string path, string accept, byte[]? body, string? contentType)
    {
        var reader = new SlowReader();
        await reader._client.ConnectAsync(server.Host, server.Port, TestContext.Current.CancellationToken);
        string head = string.Create(
            CultureInfo.InvariantCulture,
            $"{method} {path} HTTP/1.1\r\nHost: optiks\r\nAccept: {accept}\r\n{(body is null ? "" : $"Content-Type: {contentType}\r\nContent-Length: {body.Length}\r\n")}\r\n");
        await reader._client.GetStream().WriteAsync(Encoding.ASCII.GetBytes(head), TestContext.Current.CancellationToken);
        if (body is not null)
        {
            await reader._client.GetStream().WriteAsync(body, TestContext.Current.CancellationToken);
        }
        return reader;
    }

    /// <summary>Reads the answer's status line, but nothing after it.</summary>
    public async Task<int> StatusAsync()
    {
        byte[] line = new byte["HTTP/1.1 200".Length];
        await _client.GetStream().ReadExactlyAsync(line, TestContext.Current.CancellationToken);
        return int.Parse(Encoding.ASCII.GetString(line)[^3..], CultureInfo.InvariantCulture);
    }

    public void Dispose() => _client.Dispose();
}
