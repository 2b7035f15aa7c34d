using System.Net;
using System.Net.Sockets;
using System.Text;
using Optiks.Protocol;

namespace Optiks.QueryService.Tests;

/// <summary>Tests that the service answers every accepted request, even while it stops.</summary>
public sealed class ShutdownTests
{
    private readonly TestLog _log;

    public ShutdownTests(PublishedLog published)
    {
        ArgumentNullException.ThrowIfNull(published);
        _log = published.Log;
    }

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task No_request_under_load_fails()
    {
        await using Replica replica = await Replica.StartReadyAsync(_log, "drained", "--Optiks:QueryService:DrainTime", "00:00:03");
        int answered = 0;
        Task[] clients = [.. Enumerable.Range(0, 8)
            .Select(
                client => Task.Run(() => AskUntilSentAwayAsync(replica, client, () => Interlocked.Increment(ref answered)), Cancellation))];
        while (Volatile.Read(ref answered) < 200)
        {
            await Task.Delay(10, Cancellation);
        }
        Task stopping = replica.StopAsync();
        (HttpStatusCode status, string body) = await replica.ReadinessAsync();
        Assert.Equal(HttpStatusCode.ServiceUnavailable, status);
        Assert.Contains("stopping", body, StringComparison.Ordinal);
        Assert.False(stopping.IsCompleted);
        // Each client must get an answer to every request, and then see the end of its connection.
        await Task.WhenAll(clients);
        await stopping;
        await Assert.ThrowsAsync<HttpRequestException>(() => replica.ReadinessAsync());
    }

    [Fact]
    public async Task A_request_that_has_begun_is_finished()
    {
        await using Replica replica = await Replica.StartReadyAsync(_log, "finished");
        Uri address = replica.Client.BaseAddress!;
        using var begun = new TcpClient();
        using var idle = new TcpClient();
        await begun.ConnectAsync(address.Host, address.Port, Cancellation);
        await idle.ConnectAsync(address.Host, address.Port, Cancellation);
        byte[] body = QueryList.Encode([new Query("alice"u8.ToArray(), 0, 0)]);
        byte[] head = Encoding.ASCII.GetBytes(
            $"POST /v1/lookup HTTP/1.1\r\nHost: localhost\r\nContent-Type: {MediaTypes.Query}\r\nAccept: {MediaTypes.Lookup}\r\nContent-Length: {body.Length}\r\n\r\n");
        // The answer shows that the server knows this connection, which is idle afterwards. Then the other connection begins a request.
        Assert.StartsWith("HTTP/1.1 200", await ExchangeAsync(idle, [.. head, .. body], untilClosed: false), StringComparison.Ordinal);
        await begun.GetStream().WriteAsync(head, Cancellation);
        await begun.GetStream().WriteAsync(body.AsMemory(0, 3), Cancellation);
        await Task.Delay(200, Cancellation);
        Task stopping = replica.StopAsync();
        // The server must close the idle connection at once.
        Assert.Equal("", await ExchangeAsync(idle, [], untilClosed: true));
        Assert.False(stopping.IsCompleted);
        string answer = await ExchangeAsync(begun, body[3..], untilClosed: true);
        Assert.StartsWith("HTTP/1.1 200", answer, StringComparison.Ordinal);
        Assert.Contains("Connection: close", answer, StringComparison.Ordinal);
        await stopping;
    }

    private static async Task AskUntilSentAwayAsync(Replica replica, int client, Action answered)
    {
        // Each client has a connection of its own.
        using var http = new HttpClient { BaseAddress = replica.Client.BaseAddress };
        for (int i = 0; ; i++)
        {
            // Every second request has several keys whose proofs are not cached.
            Query[] queries = i % 2 == 0
                ? [new Query("alice"u8.ToArray(), 0, 0)]
                : [.. Enumerable.Range(0, 32).Select(n => new Query(Encoding.UTF8.GetBytes($"nobody {client} {i} {n}"), 0, 0))];
            using HttpResponseMessage response = await http.SendAsync(Replica.Post("/v1/lookup", queries, MediaTypes.Lookup), Cancellation);
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
            Assert.NotEmpty(await response.Content.ReadAsByteArrayAsync(Cancellation));
            answered();
            if (response.Headers.ConnectionClose == true)
            {
                return;
            }
        }
    }

    private static async Task<string> ExchangeAsync(TcpClient client, byte[] request, bool untilClosed)
    {
        NetworkStream stream = client.GetStream();
        await stream.WriteAsync(request, Cancellation);
        var answer = new MemoryStream();
        byte[] buffer = new byte[64 * 1024];
        int read;
        do
        {
            read = await stream.ReadAsync(buffer, Cancellation);
            answer.Write(buffer, 0, read);
        }
        while (untilClosed && read > 0);
        return Encoding.Latin1.GetString(answer.ToArray());
    }
}
