using System.Buffers;
using System.Diagnostics;
using System.Net;
using System.Net.Http.Headers;
using Optiks.Protocol;
using Optiks.QueryService.Telemetry;

namespace Optiks.QueryService.Snapshots;

/// <summary>SnapshotDownload takes one replica's snapshot over HTTP. What it says is checked elsewhere; this bounds how long it takes and how much is stored.</summary>
internal sealed class SnapshotDownload : IDisposable
{
    private const int ChunkLength = 256 * 1024;

    // A peer that gives less in the time is of no use: the database is faster.
    private const long LeastLength = 1024 * 1024;
    private static readonly TimeSpan s_leastTime = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_answerTime = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_progressTime = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_maxRetry = TimeSpan.FromMinutes(1);

    private readonly HttpClient _http;
    private readonly long _maxBytes;
    private readonly TimeProvider _clock;
    private readonly ILogger _logger;

    /// <summary>SnapshotDownload with an API key, which goes to the peers that <see cref="FetchAsync"/> is given and nowhere else.</summary>
    public SnapshotDownload(string key, long maxBytes, TimeProvider clock, ILogger logger)
    {
        // No redirections, which would take the key along, and no proxy, which would see everyone's values.
        var handler = new SocketsHttpHandler { AllowAutoRedirect = false, UseProxy = false, UseCookies = false, ConnectTimeout = TimeSpan.FromSeconds(5) };
        _http = new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan };
        _http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", key);
        _maxBytes = maxBytes;
        _clock = clock;
        _logger = logger;
    }

    /// <summary>
    /// FetchAsync writes the peer's snapshot and leaf log to these files, which are on the disk afterwards. Throws <see cref="PeerBusyException"/>, or <see cref="SnapshotRefusedException"/> with the reason when the peer gives
    /// none; the files may have been begun then.
    /// </summary>
    public async Task FetchAsync(Uri peer, string snapshot, string leafLog, CancellationToken cancellationToken)
    {
        using var slow = new CancellationTokenSource(s_answerTime, _clock);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(slow.Token, cancellationToken);
        try
        {
            using HttpResponseMessage response = await _http.GetAsync(new Uri(peer, SnapshotTransfer.Path), HttpCompletionOption.ResponseHeadersRead, either.Token);
            long length = LengthOf(response);
            _logger.SnapshotFetching(peer, length);
            Stream body = await response.Content.ReadAsStreamAsync(either.Token);
            await using (body)
            {
                var progress = new Progress(this, slow, length);
                byte[] header = new byte[SnapshotTransfer.HeaderLength];
                await body.ReadExactlyAsync(header, either.Token);
                if (!SnapshotTransfer.TryRead(header, length, out SnapshotTransfer transfer))
                {
                    throw new SnapshotRefusedException("The lengths in its answer do not fit together.");
                }
                progress.Took(header.Length);
                await WriteAsync(body, snapshot, transfer.SnapshotLength, progress, either.Token);
                await WriteAsync(body, leafLog, transfer.LeafLogLength, progress, either.Token);
            }
        }
        catch (OperationCanceledException e) when (slow.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw new SnapshotRefusedException($"It gave less than {LeastLength} octets in {s_leastTime.TotalSeconds} s, or no answer in {s_answerTime.TotalSeconds} s.", e);
        }
        catch (HttpRequestException e)
        {
            throw new SnapshotRefusedException($"It cannot be reached: {e.Message}", e);
        }
        // Of the connection, or of the disk here.
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new SnapshotRefusedException($"It did not get here whole: {e.Message}", e);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _http.Dispose();

    private long LengthOf(HttpResponseMessage response)
    {
        // As the endpoint says it; a proxy before a peer that is down does not.
        if (response.StatusCode == HttpStatusCode.ServiceUnavailable && response.Headers.RetryAfter?.Delta is { } asked)
        {
            throw new PeerBusyException(asked < s_maxRetry ? asked : s_maxRetry);
        }
        if (response.StatusCode != HttpStatusCode.OK)
        {
            throw new SnapshotRefusedException(response.StatusCode switch
            {
                HttpStatusCode.NotFound => "It has none now.",
                HttpStatusCode.Unauthorized or HttpStatusCode.Forbidden => "It does not know the API key, or not with the scope snapshot.",
                HttpStatusCode status => $"It answers with status {(int)status}.",
            });
        }
        return response.Content.Headers is { ContentType.MediaType: MediaTypes.Snapshot, ContentLength: { } length and >= SnapshotTransfer.HeaderLength }
            ? length <= _maxBytes ? length : throw new SnapshotRefusedException($"Its {length} octets are more than Optiks:QueryService:SnapshotPeerMaxBytes.")
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
                // A disk without room says so now.
                PreallocationSize = length,
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
            // It had values of keys in it.
            ArrayPool<byte>.Shared.Return(chunk, clearArray: true);
        }
    }

    /// <summary>Progress puts off the end of a peer that is fast enough, and logs how far it is.</summary>
    private sealed class Progress
    {
        private readonly SnapshotDownload _owner;
        private readonly CancellationTokenSource _slow;
        private readonly long _length;
        private long _taken;
        private long _sinceLast;
        private long _logged = Stopwatch.GetTimestamp();

        public Progress(SnapshotDownload owner, CancellationTokenSource slow, long length)
        {
            _owner = owner;
            _slow = slow;
            _length = length;
            slow.CancelAfter(s_leastTime);
        }

        public void Took(int octets)
        {
            _taken += octets;
            _sinceLast += octets;
            if (_sinceLast >= LeastLength)
            {
                _sinceLast = 0;
                _slow.CancelAfter(s_leastTime);
            }
            if (Stopwatch.GetElapsedTime(_logged) >= s_progressTime)
            {
                _logged = Stopwatch.GetTimestamp();
                int percent = (int)(100.0 * _taken / _length);
                _owner._logger.SnapshotProgress(percent);
            }
        }
    }
}
