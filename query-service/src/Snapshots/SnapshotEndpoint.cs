using System.Diagnostics;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Microsoft.Win32.SafeHandles;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Snapshots;

/// <summary>
/// Sends the replica's snapshot and leaf log to another replica whose API key has the scope <c>snapshot</c>. No key has this scope unless
/// the operator grants it, because the leaf log contains the values of all keys.
/// </summary>
internal sealed class SnapshotEndpoint : IDisposable
{
    // The largest number of transfers at the same time. It is limited because transfers and answers read from the same disk.
    private const int MaxTransfers = 2;
    private const int ChunkLength = 256 * 1024;
    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(10);

    // The least rate at which a replica must receive its transfer. The endpoint disconnects a slower replica, so that other replicas need
    // not wait for it.
    private static readonly MinDataRate s_minRate = new(bytesPerSecond: 100 * 1024, gracePeriod: TimeSpan.FromSeconds(10));

    private readonly ReplicaFiles _files;
    private readonly CurrentEpoch _current;
    private readonly CancellationToken _stopping;
    private readonly ILogger<SnapshotEndpoint> _logger;
    private readonly SemaphoreSlim _transfers = new(MaxTransfers);

    public SnapshotEndpoint(ReplicaFiles files, CurrentEpoch current, IHostApplicationLifetime lifetime, ILogger<SnapshotEndpoint> logger)
    {
        _files = files;
        _current = current;
        _stopping = lifetime.ApplicationStopping;
        _logger = logger;
    }

    public void Map(IEndpointRouteBuilder routes) =>
        routes.MapGet(SnapshotTransfer.Path, (HttpContext context) => SendAsync(context)).Require(Access.Snapshot);

    public void Dispose() => _transfers.Dispose();

    private async Task SendAsync(HttpContext context)
    {
        if (!_transfers.Wait(0, CancellationToken.None))
        {
            await new Problem(ProblemTypes.Overloaded, "Other replicas are downloading this one's snapshot.", null,
                s_retryAfter).ExecuteAsync(context);
            return;
        }
        try
        {
            // Before the service serves its first epoch, the files may be replaced or truncated, so the endpoint does not send them.
            // Afterwards, the snapshot is only replaced as a whole, and the part of the leaf log that belongs to the snapshot no longer
            // changes.
            TreeFiles? files = _current.Peek() is { } epoch ? _files.ForPeriod(epoch.Period) : null;
            using SafeFileHandle? snapshot = files is null ? null : TryOpen(files.Snapshot);
            using SafeFileHandle? leafLog = snapshot is null ? null : TryOpen(files!.LeafLog);
            if (snapshot is null || leafLog is null)
            {
                await new Problem(ProblemTypes.NotFound, "This replica has no snapshot now.").ExecuteAsync(context);
                return;
            }
            await SendAsync(context, snapshot, leafLog);
        }
        finally
        {
            _transfers.Release();
        }
    }

    private async Task SendAsync(HttpContext context, SafeFileHandle snapshot, SafeFileHandle leafLog)
    {
        var transfer = new SnapshotTransfer(RandomAccess.GetLength(snapshot), RandomAccess.GetLength(leafLog));
        if (context.Features.Get<IHttpMinResponseDataRateFeature>() is { } rate)
        {
            rate.MinDataRate = s_minRate;
        }
        context.Response.ContentType = MediaTypes.Snapshot;
        context.Response.ContentLength = transfer.TotalLength;
        context.Response.Headers.CacheControl = "no-store";
        // Sending gigabytes must not delay the end of the service, so the transfer is cancelled when the service stops. The receiving
        // replica then asks another peer.
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, _stopping);
        long start = Stopwatch.GetTimestamp();
        try
        {
            PipeWriter body = context.Response.BodyWriter;
            transfer.Write(body.GetSpan(SnapshotTransfer.HeaderLength));
            body.Advance(SnapshotTransfer.HeaderLength);
            await CopyAsync(snapshot, transfer.SnapshotLength, body, cancellation.Token);
            await CopyAsync(leafLog, transfer.LeafLogLength, body, cancellation.Token);
        }
        catch (Exception e) when (e is IOException or OperationCanceledException)
        {
            _logger.SnapshotNotServed(e);
            context.Abort();
            return;
        }
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        _logger.SnapshotServed(transfer.TotalLength, seconds);
    }

    private static SafeFileHandle? TryOpen(string path)
    {
        try
        {
            // This code opens the files in shared mode, because this replica extends and replaces them in the meantime.
            return File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete,
                FileOptions.Asynchronous | FileOptions.SequentialScan);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            return null;
        }
    }

    private static async Task CopyAsync(SafeFileHandle file, long length, PipeWriter body, CancellationToken cancellationToken)
    {
        for (long done = 0; done < length;)
        {
            Memory<byte> room = body.GetMemory(ChunkLength)[..(int)Math.Min(ChunkLength, length - done)];
            int read = await RandomAccess.ReadAsync(file, room, done, cancellationToken);
            if (read == 0)
            {
                throw new EndOfStreamException("A file of the replica became shorter.");
            }
            body.Advance(read);
            done += read;
            FlushResult flushed = await body.FlushAsync(cancellationToken);
            if (flushed.IsCompleted || flushed.IsCanceled)
            {
                throw new OperationCanceledException("The other replica stopped reading.");
            }
        }
    }
}
