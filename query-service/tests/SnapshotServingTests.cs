using System.Buffers.Binary;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Optiks.ServiceDefaults;
using Optiks.Tests.Shared;

namespace Optiks.QueryService.Tests;

/// <summary>Tests how a replica (the donor) sends its snapshot to replicas that read slowly.</summary>
public sealed class SnapshotServingTests : IAsyncLifetime
{
    private const int NumValues = 160;
    private const int ValueLength = 65_536;

    private readonly LoggedEvents _events = new();
    private TestLog? _log;
    private Replica? _donor;

    private TestLog Log => _log!;

    private Replica Donor => _donor!;

    private string SnapshotPath => Path.Combine(Log.Folder.Replicas, "donor", "snapshot");

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        _log = await TestLog.CreateAsync();
        // The values exceed the buffers of the sockets, so that the donor must wait while the reader does not read.
        await Log.PublishAsync([.. Enumerable.Range(0, NumValues).Select(i => ($"key {i}", new byte[ValueLength]))]);
        _donor = await Replica.StartAsync(Log, "donor", services => services.AddSingleton<ILoggerProvider>(_events), _ => { },
            "--Optiks:QueryService:SnapshotInterval", "00:00:00.001");
        await Donor.WaitForEpochAsync(1);
        await PublishAndSaveAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await Donor.DisposeAsync();
        await Log.DisposeAsync();
    }

    [Fact]
    public async Task Two_are_served_at_once_and_others_come_again()
    {
        using var first = new SlowReader(Donor);
        using var second = new SlowReader(Donor);
        Assert.Contains("200 OK", await first.ReadHeadersAsync(), StringComparison.Ordinal);
        Assert.Contains("200 OK", await second.ReadHeadersAsync(), StringComparison.Ordinal);
        using HttpRequestMessage third = Replica.Get("/internal/snapshot");
        third.Headers.Authorization = new("Bearer", Log.SnapshotKey);
        await Donor.ProblemAsync(third, ProblemTypes.Overloaded);
        // Meanwhile, the donor must still answer lookups.
        await Donor.OctetsAsync(Replica.Get("/v1/lookup?key=key%201"));
        first.Dispose();
        HttpStatusCode status;
        do
        {
            using HttpResponseMessage response = await Donor.SnapshotAsync(Log.SnapshotKey);
            status = response.StatusCode;
        }
        while (status == HttpStatusCode.ServiceUnavailable);
        Assert.Equal(HttpStatusCode.OK, status);
        Assert.True(_events.Has("SnapshotNotServed"));
        // The donor logs this event after it has sent the last byte.
        while (!_events.Has("SnapshotServed"))
        {
            await Task.Delay(10, Cancellation);
        }
    }

    [Fact]
    public async Task A_snapshot_that_is_replaced_meanwhile_is_served_whole()
    {
        using var reader = new SlowReader(Donor);
        string headers = await reader.ReadHeadersAsync();
        await PublishAndSaveAsync();
        byte[] body = await reader.ReadAllAsync();
        Assert.Contains($"Content-Length: {body.Length}", headers, StringComparison.Ordinal);
        Assert.NotEqual(await File.ReadAllBytesAsync(SnapshotPath, Cancellation),
            body[16..(16 + (int)BinaryPrimitives.ReadInt64BigEndian(body))]);

        await using MadeUpServer peer = await MadeUpServer.StartAsync(async context =>
        {
            context.Response.ContentType = Protocol.MediaTypes.Snapshot;
            context.Response.ContentLength = body.Length;
            await context.Response.Body.WriteAsync(body, context.RequestAborted);
        });
        var events = new LoggedEvents();
        await using Replica fresh = await Replica.StartAsync(
            Log, "new", services => services.AddSingleton<ILoggerProvider>(events), _ => { }, "--Optiks:QueryService:SnapshotPeers:0",
            peer.Address, "--Optiks:QueryService:SnapshotPeerKeyFile", Log.SnapshotKeyFile);
        await fresh.WaitForEpochAsync((ulong)Log.Records.Count - 1);
        Assert.True(events.Has("SnapshotUsed"));
    }

    [Fact]
    public async Task A_replica_that_stops_does_not_wait_for_it()
    {
        using var reader = new SlowReader(Donor);
        string headers = await reader.ReadHeadersAsync();
        long start = Stopwatch.GetTimestamp();
        await Donor.StopAsync();
        // The stop must not wait for the download. For any other request in progress, the host waits up to 15 s, which is three times this
        // limit.
        Assert.True(Stopwatch.GetElapsedTime(start) < TimeSpan.FromSeconds(5));
        byte[] body = await reader.ReadAllAsync();
        Assert.DoesNotContain($"Content-Length: {body.Length}", headers, StringComparison.Ordinal);
    }

    // Publishes epochs until the donor has saved another snapshot. One epoch may not be enough, because the donor begins no snapshot while
    // it still writes one.
    private async Task PublishAndSaveAsync()
    {
        byte[] before = File.Exists(SnapshotPath) ? await File.ReadAllBytesAsync(SnapshotPath, Cancellation) : [];
        byte[] now = before;
        while (now.AsSpan().SequenceEqual(before))
        {
            await Log.PublishAsync(("alice", $"{Log.Records.Count}"));
            await Donor.WaitForEpochAsync((ulong)Log.Records.Count - 1);
            now = File.Exists(SnapshotPath) ? await File.ReadAllBytesAsync(SnapshotPath, Cancellation) : [];
        }
    }

    /// <summary>Requests the snapshot, and reads the answer only when the test asks for more of it.</summary>
    private sealed class SlowReader : IDisposable
    {
        private readonly Socket _socket;

        public SlowReader(Replica donor)
        {
            // The socket gets a small receive window, which must be set before it connects.
            _socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = 4096 };
            _socket.Connect(IPAddress.Loopback, donor.Client.BaseAddress!.Port);
            _socket.Send(
                Encoding.ASCII.GetBytes(
                    $"GET /internal/snapshot HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {donor.Log.SnapshotKey}\r\n\r\n"));
        }

        public async Task<string> ReadHeadersAsync()
        {
            var text = new StringBuilder();
            byte[] one = new byte[1];
            while (!text.ToString().EndsWith("\r\n\r\n", StringComparison.Ordinal) && await _socket.ReceiveAsync(one, Cancellation) > 0)
            {
                text.Append((char)one[0]);
            }
            return text.ToString();
        }

        /// <summary>Reads the rest of the answer, until the connection ends.</summary>
        public async Task<byte[]> ReadAllAsync()
        {
            using var body = new MemoryStream();
            byte[] part = new byte[65_536];
            try
            {
                for (int read; (read = await _socket.ReceiveAsync(part, Cancellation)) > 0;)
                {
                    body.Write(part, 0, read);
                }
            }
            catch (SocketException)
            {
                // The donor has closed the connection before the end of the answer.
            }
            return body.ToArray();
        }

        public void Dispose() => _socket.Dispose();
    }
}
