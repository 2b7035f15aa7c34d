using System.Buffers.Binary;
using System.Diagnostics;
using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging.Abstractions;
using Optiks.Protocol;
using Optiks.QueryService.Snapshots;
using Optiks.Tests.Shared;

namespace Optiks.QueryService.Tests;

/// <summary>
/// Tests peers that announce a long snapshot but send only little of it. Checks how long a start waits for them, and how much disk space
/// the download takes meanwhile.
/// </summary>
public sealed class SnapshotDownloadTests : IDisposable
{
    private const int Mebibyte = 1 << 20;

    private readonly string _folder = Directory.CreateTempSubdirectory("optiks-download-").FullName;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private string Snapshot => Path.Combine(_folder, "snapshot.fetched");

    private string LeafLog => Path.Combine(_folder, "leaves.fetched");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task A_peer_that_gives_a_little_now_and_then_is_given_up_and_its_promise_takes_no_disk()
    {
        // By the download's clock, the peer sends 1 MiB in 9 s, although it announced 256 MiB.
        const long promised = 256L * Mebibyte;
        var firstAt = new TaskCompletionSource();
        await using MadeUpServer peer = await MadeUpServer.StartAsync(async context =>
        {
            await BeginAsync(context, promised, 0);
            byte[] chunk = new byte[Mebibyte];
            for (long sent = 0; sent < promised; sent += chunk.Length)
            {
                await context.Response.Body.WriteAsync(chunk, context.RequestAborted);
                firstAt.TrySetResult();
                await Task.Delay(1800, context.RequestAborted);
            }
        });
        using SnapshotDownload download = Download(2 * promised, new HastyTime());
        Task fetching = download.FetchAsync(new Uri(peer.Address), Snapshot, LeafLog, Cancel);
        await firstAt.Task.WaitAsync(Cancel);
        while (!File.Exists(Snapshot))
        {
            Assert.False(fetching.IsCompleted);
            await Task.Delay(20, Cancel);
        }
        Assert.InRange(await OctetsOnDiskAsync(Snapshot), 0, promised / 4);
        SnapshotRefusedException refused =
            await Assert.ThrowsAsync<SnapshotRefusedException>(() => fetching.WaitAsync(TimeSpan.FromMinutes(1), Cancel));
        Assert.Contains("bytes a second", refused.Message, StringComparison.Ordinal);
        Assert.InRange(new FileInfo(Snapshot).Length, 0, promised / 4);
    }

    [Fact]
    public async Task More_than_the_disk_has_room_for_is_refused_at_once_and_what_fits_is_taken()
    {
        long promised = 1L << 47;
        await using MadeUpServer peer = await MadeUpServer.StartAsync(async context =>
        {
            await BeginAsync(context, Volatile.Read(ref promised), 3);
            await context.Response.Body.WriteAsync(new byte[Math.Min(Volatile.Read(ref promised), Mebibyte) + 3], context.RequestAborted);
            if (Volatile.Read(ref promised) > Mebibyte)
            {
                await Task.Delay(Timeout.InfiniteTimeSpan, context.RequestAborted).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        });
        using SnapshotDownload download = Download(1L << 48, TimeProvider.System);
        SnapshotRefusedException refused =
            await Assert.ThrowsAsync<SnapshotRefusedException>(() => download.FetchAsync(new Uri(peer.Address), Snapshot, LeafLog, Cancel));
        Assert.Contains("no room", refused.Message, StringComparison.Ordinal);
        Assert.False(File.Exists(Snapshot));

        Volatile.Write(ref promised, Mebibyte);
        await download.FetchAsync(new Uri(peer.Address), Snapshot, LeafLog, Cancel);
        Assert.Equal((Mebibyte, 3L), (new FileInfo(Snapshot).Length, new FileInfo(LeafLog).Length));
    }

    private static SnapshotDownload Download(long maxBytes, TimeProvider clock) => new("key", maxBytes, clock, NullLogger.Instance);

    private static async Task BeginAsync(HttpContext context, long snapshot, long leafLog)
    {
        byte[] lengths = new byte[SnapshotTransfer.HeaderLength];
        BinaryPrimitives.WriteInt64BigEndian(lengths, snapshot);
        BinaryPrimitives.WriteInt64BigEndian(lengths.AsSpan(8), leafLog);
        context.Response.ContentType = MediaTypes.Snapshot;
        context.Response.ContentLength = lengths.Length + snapshot + leafLog;
        await context.Response.Body.WriteAsync(lengths, context.RequestAborted);
        await context.Response.Body.FlushAsync(context.RequestAborted);
    }

    // Returns the space that a file takes on the disk. The file's length would not show reserved space.
    private static async Task<long> OctetsOnDiskAsync(string path)
    {
        using Process stat = Process.Start(new ProcessStartInfo("/usr/bin/stat", ["-c", "%b", path]) { RedirectStandardOutput = true })!;
        string blocks = await stat.StandardOutput.ReadToEndAsync(Cancel);
        await stat.WaitForExitAsync(Cancel);
        return 512 * long.Parse(blocks, CultureInfo.InvariantCulture);
    }
}
