using System.Net;
using System.Net.Sockets;
using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Tlog;

namespace Optiks.QueryService.Tests;

/// <summary>Tests the board's files over HTTP.</summary>
public sealed class BoardTests
{
    private readonly Replica _replica;

    public BoardTests(PublishedLog published)
    {
        ArgumentNullException.ThrowIfNull(published);
        _replica = published.Replica;
    }

    [Fact]
    public async Task The_log_is_read_from_tiles_alone()
    {
        byte[] note = await _replica.OctetsAsync(Replica.Get("/log/checkpoint"));
        Assert.Equal(Reason.Valid, LogVerifier.Checkpoint(_replica.Log.Anchor, note, out ulong size, out byte[] root));
        Assert.Equal((ulong)_replica.Log.Records.Count, size);
        var tiles = new HttpTileReader(_replica.Client, new Uri(_replica.Client.BaseAddress!, "/log/"));
        var reader = new HashReader(tiles, size, TreeHash.FromBytes(root));
        IReadOnlyList<ReadOnlyMemory<byte>> entries = await reader.ReadBundleAsync(0, TestContext.Current.CancellationToken);
        Assert.Equal(_replica.Log.Records.Select(row => row.Record.ToArray()), entries.Select(entry => entry.ToArray()));
    }

    [Theory]
    [InlineData("/log/tile/0/000.p/72", "application/octet-stream")]
    [InlineData("/log/tile/entries/000.p/72", "application/octet-stream")]
    [InlineData("/log/audit/071", "application/vnd.optiks.audit-proof")]
    public async Task Immutable_files_say_so(string path, string type)
    {
        using HttpResponseMessage response = await _replica.SendAsync(Replica.Get(path));
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(type, response.Content.Headers.ContentType?.ToString());
        Assert.Equal("public, max-age=31536000, immutable", response.Headers.GetValues("Cache-Control").Single());
        byte[] body = await response.Content.ReadAsByteArrayAsync(TestContext.Current.CancellationToken);
        Assert.Equal(
            await File.ReadAllBytesAsync(Path.Combine(_replica.Log.Folder.Board, path[1..]), TestContext.Current.CancellationToken), body);

        using HttpResponseMessage head = await _replica.SendAsync(new HttpRequestMessage(HttpMethod.Head, path));
        Assert.Equal((HttpStatusCode.OK, (long?)body.Length), (head.StatusCode, head.Content.Headers.ContentLength));
        HttpRequestMessage again = Replica.Get(path);
        again.Headers.IfNoneMatch.Add(response.Headers.ETag!);
        using HttpResponseMessage known = await _replica.SendAsync(again);
        Assert.Equal(HttpStatusCode.NotModified, known.StatusCode);
    }

    [Fact]
    public async Task The_checkpoint_is_kept_for_seconds_only()
    {
        using HttpResponseMessage response = await _replica.SendAsync(Replica.Get("/log/checkpoint"));
        Assert.Equal("text/plain; charset=utf-8", response.Content.Headers.ContentType?.ToString());
        Assert.InRange(response.Headers.CacheControl!.MaxAge!.Value, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(5));
        HttpRequestMessage again = Replica.Get("/log/checkpoint");
        again.Headers.IfNoneMatch.Add(response.Headers.ETag!);
        using HttpResponseMessage known = await _replica.SendAsync(again);
        Assert.Equal(HttpStatusCode.NotModified, known.StatusCode);
    }

    [Theory]
    [InlineData("/log/")]
    [InlineData("/log/tile")]
    [InlineData("/log/tile/0/000")]
    [InlineData("/log/tile/0/000.p/73")]
    [InlineData("/log/tile/0/000.p/072")]
    [InlineData("/log/tile/00/000.p/72")]
    [InlineData("/log/tile/0/x000/000.p/72")]
    [InlineData("/log/audit/072")]
    [InlineData("/log/audit/71")]
    [InlineData("/log/audit/071.p/3")]
    [InlineData("/log/audit")]
    [InlineData("/log/.lock")]
    [InlineData("/log/checkpoint.tmp")]
    [InlineData("/log/state/high-water")]
    [InlineData("/log/tile/%2e%2e/%2e%2e/%2e%2e/trust.json")]
    public async Task Nothing_else_is_served(string path)
    {
        await _replica.ProblemAsync(Replica.Get(path), ProblemTypes.NotFound);
    }

    [Theory]
    [InlineData("/log/..%2f..%2ftrust.json")]
    [InlineData("/log/tile/0/..%2f..%2f..%2f..%2ftrust.json")]
    public async Task A_path_with_an_encoded_slash_is_malformed(string path)
    {
        await _replica.ProblemAsync(Replica.Get(path), ProblemTypes.MalformedRequest);
    }

    [Theory]
    [InlineData("/log/../../trust.json")]
    [InlineData("/log/tile/../../../kek")]
    [InlineData("/log//etc/passwd")]
    public async Task Raw_paths_do_not_lead_out(string path)
    {
        // The test uses a socket, because HttpClient would normalize the path.
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, _replica.Client.BaseAddress!.Port, TestContext.Current.CancellationToken);
        NetworkStream stream = client.GetStream();
        await stream.WriteAsync(Encoding.ASCII.GetBytes($"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
            TestContext.Current.CancellationToken);
        using var reader = new StreamReader(stream);
        Assert.Equal("HTTP/1.1 400 Bad Request", await reader.ReadLineAsync(TestContext.Current.CancellationToken));
    }
}
