using System.Buffers;
using System.Diagnostics;
using System.Net;
using System.Net.Http.Headers;
using Optiks.Protocol;
using Optiks.QueryService.Telemetry;
using Optiks.Tlog;

namespace Optiks.QueryService.Snapshots;

/// <summary>
/// Downloads one replica's snapshot over HTTP. This class bounds the time and the disk space of the download; <see cref="SnapshotPeers"/>
/// checks the contents.
/// </summary>
internal sealed class SnapshotDownload : IDisposable
{
    private const int ChunkLength = 256 * 1024;

    // The least rate at which a peer must send. A peer that sends more slowly is useless, because loading from the database would then be
    // faster. Together with the limit on the length, this rate limits the time of the download.
    private const long LeastOctetsPerSecond = 8 * 1024 * 1024;
    private static readonly TimeSpan s_answerTime = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_progressTime = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_maxRetry = TimeSpan.FromMinutes(1);

    private readonly HttpClient _http;
    private readonly long _maxBytes;
    private readonly TimeProvider _clock;
    private readonly ILogger _logger;

    /// <summary>
    /// Creates a downloader with an API key. It sends this key only to the peers that callers pass to <see cref="FetchAsync"/>.
    /// </summary>
    public SnapshotDownload(string key, long maxBytes, TimeProvider clock, ILogger logger)
    {
        // The client follows no redirects, because their targets would get the API key. It uses no proxy, because a proxy would see the
        // values of all users.
        var handler = new SocketsHttpHandler
        {
            AllowAutoRedirect = false,
            UseProxy = false,
            UseCookies = false,
            ConnectTimeout = TimeSpan.FromSeconds(5),
        };
        _http = new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan };
        _http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", key);
        _maxBytes = maxBytes;
        _clock = clock;
        _logger = logger;
    }

    /// <summary>
    /// Writes the peer's snapshot and leaf log to these files and flushes them to the disk. Throws <see cref="PeerBusyException"/> if the
    /// peer is busy. If the peer does not send both files completely, throws <see cref="SnapshotRefusedException"/> with the reason. After
    /// an exception, the files may be incomplete.
    /// </summary>
    public async Task FetchAsync(Uri peer, string snapshot, string leafLog, CancellationToken cancellationToken)
    {
        using var deadline = new AnswerDeadline(s_answerTime, _clock, LeastOctetsPerSecond, cancellationToken);
        try
        {
            using HttpResponseMessage response =
                await _http.GetAsync(new Uri(peer, SnapshotTransfer.Path), HttpCompletionOption.ResponseHeadersRead, deadline.Token);
            long length = GetLength(response);
            // This check finds out before the download whether the disk has enough space. It does not reserve the space; the files take
            // space only for bytes that have arrived.
            if (new DriveInfo(Path.GetDirectoryName(Path.GetFullPath(snapshot))!).AvailableFreeSpace < length)
            {
                throw new SnapshotRefusedException($"The disk has no room for its {length} bytes.");
            }
            _logger.SnapshotFetching(peer, length);
            Stream body = await response.Content.ReadAsStreamAsync(deadline.Token);
            await using (body)
            {
                var progress = new Progress(this, deadline, length);
                byte[] header = new byte[SnapshotTransfer.HeaderLength];
                await body.ReadExactlyAsync(header, deadline.Token);
                if (!SnapshotTransfer.TryRead(header, length, out SnapshotTransfer transfer))
                {
                    throw new SnapshotRefusedException("The lengths in its answer do not fit together.");
                }
                progress.Took(header.Length);
                await WriteAsync(body, snapshot, transfer.SnapshotLength, progress, deadline.Token);
                await WriteAsync(body, leafLog, transfer.LeafLogLength, progress, deadline.Token);
            }
        }
        catch (OperationCanceledException e) when (deadline.IsLate)
        {
            throw new SnapshotRefusedException(
                $"It did not answer within {s_answerTime.TotalSeconds} s, or sent fewer than {LeastOctetsPerSecond} bytes a second after that.", e);
        }
        catch (HttpRequestException e)
        {
            throw new SnapshotRefusedException($"It cannot be reached: {e.Message}", e);
        }
        // The connection or the local disk failed.
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new SnapshotRefusedException($"It did not arrive complete: {e.Message}", e);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _http.Dispose();

    private long GetLength(HttpResponseMessage response)
    {
        // Only the peer's endpoint itself sends the header Retry-After. A proxy that answers because the peer is down does not send it.
        if (response.StatusCode == HttpStatusCode.ServiceUnavailable && response.Headers.RetryAfter?.Delta is { } asked)
        {
            throw new PeerBusyException(asked < s_maxRetry ? asked : s_maxRetry);
        }
        if (response.StatusCode != HttpStatusCode.OK)
        {
            throw new SnapshotRefusedException(response.StatusCode switch
            {
                HttpStatusCode.NotFound => "It has no snapshot now.",
                HttpStatusCode.Unauthorized or HttpStatusCode.Forbidden =>
                    "It does not know the API key, or the key lacks the scope snapshot.",
                HttpStatusCode status => $"It answers with status {(int)status}.",
            });
        }
        return string.Equals(response.Content.Headers.ContentType?.MediaType, MediaTypes.Snapshot, StringComparison.OrdinalIgnoreCase)
            && response.Content.Headers.ContentLength is { } length and >= SnapshotTransfer.HeaderLength
            ? length <= _maxBytes
                ? length
                : throw new SnapshotRefusedException($"Its {length} bytes are more than Optiks:QueryService:SnapshotPeerMaxBytes.")
            : throw new SnapshotRefusedException("Its answer is not a snapshot of known length.");
    }

    private static async Task WriteAsync(Stream body, string path, long length, Progress progress, CancellationToken cancellationToken)
    {
        byte[] chunk = ArrayPool<byte>.Shared.Rent(ChunkLength);
        try
        {
            var options = new FileStreamOptions
            {
                Mode = FileMode.CreateNew,
                Access = FileAccess.Write,
                UnixCreateMode = AtomicFile.PrivateMode,
                BufferSize = 0,
            };
            var file = new FileStream(path, options);
            await using (file)
            {
                for (long left = length; left > 0;)
                {
                    int read = await body.ReadAsync(chunk.AsMemory(0, (int)Math.Min(chunk.Length, left)), cancellationToken);
                    if (read == 0)
                    {
                        throw new EndOfStreamException("the answer ended early.");
                    }
                    await file.WriteAsync(chunk.AsMemory(0, read), cancellationToken);
                    left -= read;
                    progress.Took(read);
                }
                file.Flush(flushToDisk: true);
            }
        }
        finally
        {
            // The array is cleared because it contained values of keys.
            ArrayPool<byte>.Shared.Return(chunk, clearArray: true);
        }
    }

    /// <summary>Extends the deadline of a download as long as the peer sends fast enough, and logs the progress.</summary>
    private sealed class Progress
    {
        private readonly SnapshotDownload _owner;
        private readonly AnswerDeadline _deadline;
        private readonly long _length;
        private long _taken;
        private long _logged = Stopwatch.GetTimestamp();

        public Progress(SnapshotDownload owner, AnswerDeadline deadline, long length)
        {
            _owner = owner;
            _deadline = deadline;
            _length = length;
        }

        public void Took(int octets)
        {
            _taken += octets;
            _deadline.Received(octets);
            if (Stopwatch.GetElapsedTime(_logged) >= s_progressTime)
            {
                _logged = Stopwatch.GetTimestamp();
                int percent = (int)(100.0 * _taken / _length);
                _owner._logger.SnapshotProgress(percent);
            }
        }
    }
}
