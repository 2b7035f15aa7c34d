using System.Net;
using System.Net.Http.Headers;

namespace Optiks.Tlog.Tests;

/// <summary>Tests reading a log over HTTP from an unreliable server.</summary>
public sealed class HttpTileReaderTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_checkpoint_that_has_not_changed_is_not_sent_again()
    {
        var tags = new List<string>();
        var answers = new Queue<HttpResponseMessage>(
        [
            Answer([1], "\"a\""), new HttpResponseMessage(HttpStatusCode.NotModified), new HttpResponseMessage(HttpStatusCode.NotModified),
            Answer([2], "W/\"b\""), new HttpResponseMessage(HttpStatusCode.NotModified),
            Answer([3], null), Answer([4], "\"c\""), new HttpResponseMessage(HttpStatusCode.NotFound),
            new HttpResponseMessage(HttpStatusCode.NotModified),
        ]);
        using var server = new Server(request =>
        {
            tags.Add($"{request.Headers.IfNoneMatch}");
            return answers.Dequeue();
        });
        using var http = new HttpClient(server, disposeHandler: false);
        var board = new HttpTileReader(http, new Uri("https://log.example/"));
        byte[]? first = await board.ReadCheckpointAsync(Cancellation);
        first![0] = 99;
        byte[] read = [(await board.ReadCheckpointAsync(Cancellation))![0], (await board.ReadCheckpointAsync(Cancellation))![0],
            (await board.ReadCheckpointAsync(Cancellation))![0],
            (await board.ReadCheckpointAsync(Cancellation))![0], (await board.ReadCheckpointAsync(Cancellation))![0],
            (await board.ReadCheckpointAsync(Cancellation))![0]];
        Assert.Equal<byte>([1, 1, 2, 2, 3, 4], read);
        Assert.Null(await board.ReadCheckpointAsync(Cancellation));
        Assert.Equal(["", "\"a\"", "\"a\"", "\"a\"", "W/\"b\"", "W/\"b\"", "", "\"c\""], tags);
        // A reader that has stored no checkpoint must not accept the status 304, which says that nothing has changed.
        await Assert.ThrowsAsync<HttpRequestException>(() => board.ReadCheckpointAsync(Cancellation));
    }

    [Fact]
    public async Task An_answer_has_its_time_to_the_last_octet()
    {
        using var server = new Server(_ => new HttpResponseMessage { Content = new StreamContent(new Dripping()) });
        using var http = new HttpClient(server, disposeHandler: false);
        var board = new HttpTileReader(http, new Uri("https://log.example/"), TimeSpan.FromMilliseconds(200));
        HttpRequestException late =
            await Assert.ThrowsAsync<HttpRequestException>(() => board.ReadTileAsync(TilePath.Hashes(0, 0), Cancellation));
        Assert.Contains("tile/0/000 takes longer than 0.2 s", late.Message, StringComparison.Ordinal);
        // If the caller cancels the call, the exception must not say that the server was too slow.
        using var gone = new CancellationTokenSource(20);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => board.ReadTileAsync(TilePath.Hashes(0, 0), gone.Token));
    }

    [Fact]
    public async Task Nothing_is_longer_than_its_kind_can_be()
    {
        int length = 0;
        var paths = new List<string>();
        using var server = new Server(request =>
        {
            paths.Add(request.RequestUri!.AbsolutePath);
            return Answer(new byte[length], null);
        });
        using var http = new HttpClient(server, disposeHandler: false);
        var board = new HttpTileReader(http, new Uri("https://log.example/board/"), maxEntryLength: 10);
        foreach ((int longest, Func<Task<byte[]?>> read) in new (int, Func<Task<byte[]?>>)[]
        {
            (SignedNote.MaxBytes, () => board.ReadCheckpointAsync(Cancellation)),
            (8192, () => board.ReadTileAsync(TilePath.Hashes(1, 2), Cancellation)),
            (256 * 12, () => board.ReadTileAsync(TilePath.Entries(1_234_067, 5), Cancellation)),
            (100, () => board.ReadAuditProofAsync(1_234_067, 100, Cancellation)),
        })
        {
            length = longest;
            Assert.Equal(longest, (await read())!.Length);
            length++;
            await Assert.ThrowsAsync<HttpRequestException>(read);
        }
        Assert.Equal(["/board/checkpoint", "/board/tile/1/002", "/board/tile/entries/x001/x234/067.p/5", "/board/audit/x001/x234/067"],
            paths.Distinct());
    }

    [Fact]
    public async Task A_partial_tile_that_is_forbidden_is_missing_and_nothing_else_is()
    {
        // S3 answers 403 for a missing object to clients that may not list the bucket.
        byte[] full = new byte[TilePath.FullWidth * TreeHash.Length];
        using var server = new Server(
            request => request.RequestUri!.AbsolutePath == "/tile/0/000"
                ? Answer(full, null)
                : new HttpResponseMessage(HttpStatusCode.Forbidden));
        using var http = new HttpClient(server, disposeHandler: false);
        var board = new HttpTileReader(http, new Uri("https://log.example/"));
        Assert.Equal(7, (await TileFetch.HashesAsync(board, TilePath.Hashes(0, 0, 7), Cancellation)).Length);
        Assert.Null(await board.ReadTileAsync(TilePath.Entries(0, 7), Cancellation));
        await Assert.ThrowsAsync<HttpRequestException>(() => board.ReadCheckpointAsync(Cancellation));
        await Assert.ThrowsAsync<HttpRequestException>(() => board.ReadTileAsync(TilePath.Hashes(0, 1), Cancellation));
        await Assert.ThrowsAsync<HttpRequestException>(() => board.ReadAuditProofAsync(1, 100, Cancellation));
    }

    [Theory]
    [InlineData("audit/000", 0UL)]
    [InlineData("audit/x001/x234/067", 1_234_067UL)]
    [InlineData("audit/0", null)]
    [InlineData("audit/000.p/3", null)]
    [InlineData("audit/x000/001", null)]
    [InlineData("audit", null)]
    [InlineData("tile/000", null)]
    public void An_audit_proof_has_one_name(string path, ulong? epoch)
    {
        Assert.Equal((epoch is not null, epoch ?? 0), (AuditProofPath.TryParse(path, out ulong parsed), parsed));
        Assert.True(epoch is null || AuditProofPath.ForEpoch(epoch.Value) == path);
    }

    private static HttpResponseMessage Answer(byte[] octets, string? tag)
    {
        var answer = new HttpResponseMessage { Content = new ByteArrayContent(octets) };
        answer.Headers.ETag = tag is null ? null : EntityTagHeaderValue.Parse(tag);
        return answer;
    }

    private sealed class Server(Func<HttpRequestMessage, HttpResponseMessage> answer) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) =>
            Task.FromResult(answer(request));
    }

    /// <summary>Implements an endless stream that returns one byte from time to time.</summary>
    private sealed class Dripping : Stream
    {
        public override bool CanRead => true;

        public override bool CanSeek => false;

        public override bool CanWrite => false;

        public override long Length => throw new NotSupportedException();

        public override long Position { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

        public override void Flush() => throw new NotSupportedException();

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await Task.Delay(10, cancellationToken);
            return 1;
        }

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
    }
}
