using System.Globalization;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Holds the board's checkpoint that a service uses (docs/spec/board.md section 3). If the board is in the data folder, where only the
/// operator's programs write, the watch reads the checkpoint's file at every request. If the board is at a URL, its server is not trusted.
/// The watch then polls the server, and keeps the largest checkpoint that the log signed, even if the server returns a smaller one later.
/// Any thread may use a watch.
/// </summary>
/// <remarks>
/// Invariants: 1. Every returned checkpoint was signed by the log. 2. For a board at a URL, no returned checkpoint is smaller than an
/// earlier one, and two returned checkpoints of the same size have the same root.
/// </remarks>
public sealed class BoardWatch : BackgroundService
{
    // The longest pause between two polls. The watch polls less often after failures.
    private static readonly TimeSpan s_longestPause = TimeSpan.FromSeconds(5);
    private const int MaxDoublings = 5;

    private readonly DataFolder _data;
    private readonly BoardOptions _options;
    private readonly string _folder;
    private readonly DirectoryTileReader _local;
    private readonly Uri? _url;
    private readonly HttpTileReader? _remote;
    private readonly BoardMetrics _metrics;
    private readonly HostFailure _failure;
    private readonly TimeProvider _time;
    private readonly ILogger<BoardWatch> _logger;
    private volatile BoardCheckpoint? _newest;
    private volatile string? _why = "It has not been asked yet.";
    private long _answeredAt;
    private volatile bool _hasAnswered;
    private TrustAnchor? _anchor;
    private string? _reported;
    private TreeHash? _contradicted;

    internal BoardWatch(DataFolder data, IOptions<BoardOptions> options, HttpTileReader? remote, BoardMetrics metrics, HostFailure failure,
        TimeProvider time, ILogger<BoardWatch> logger)
    {
        _data = data;
        _options = options.Value;
        _folder = Path.Combine(data.Board, "log");
        _local = new DirectoryTileReader(_folder);
        _url = options.Value.Address;
        _remote = remote;
        _metrics = metrics;
        _failure = failure;
        _time = time;
        _logger = logger;
        _answeredAt = time.GetTimestamp();
        if (_remote is not null)
        {
            metrics.Observe(() => (long)(_newest?.Size ?? 0), () => Silence.TotalSeconds);
        }
    }

    /// <summary>Whether the board is at a URL.</summary>
    public bool IsRemote => _remote is not null;

    /// <summary>
    /// Whether the service can read a board. The value is true for a board at a URL. For a board in the data folder, it is false if the
    /// board's folder is missing, because the board may then be on another machine.
    /// </summary>
    public bool IsSeen => _remote is not null || Directory.Exists(_folder);

    /// <summary>
    /// Whether the board's server has given a trusted answer since the service started. The answer that there is no checkpoint yet counts
    /// too. The value is always true for a board in the data folder.
    /// </summary>
    public bool HasAnswered => _remote is null || _hasAnswered;

    /// <summary>The newest checkpoint of the log that the watch has read; null before the first checkpoint.</summary>
    public BoardCheckpoint? Newest => _newest;

    /// <summary>
    /// The problem with the board at the URL, in one sentence that anyone may read. It is null if there is no problem, or if the problem
    /// has not lasted long enough to be reported.
    /// </summary>
    public string? Problem => _remote is null || _why is not { } why || (_hasAnswered && Silence <= _options.UnreadyAfter) ? null
        : !_hasAnswered ? $"The board has not been read yet. {why}"
        : string.Create(CultureInfo.InvariantCulture,
            $"The board has given no acceptable checkpoint for {Silence.TotalSeconds:F0} s; {_options.UnreadyAfter.TotalSeconds:F0} s are allowed. {why}");

    private TimeSpan Silence => _why is null ? TimeSpan.Zero : _time.GetElapsedTime(Interlocked.Read(ref _answeredAt));

    /// <summary>
    /// Returns the checkpoint to use, or null if the board has no checkpoint yet. Throws <see cref="BoardUnreadableException"/> if the
    /// checkpoint's file cannot be read or the log did not sign it, or if the board's server has given no answer since the start.
    /// </summary>
    public async ValueTask<BoardCheckpoint?> ReadAsync(CancellationToken cancellationToken)
    {
        if (_remote is not null)
        {
            return _newest ?? (_hasAnswered ? null : throw new BoardUnreadableException($"The board has not been read yet. {_why}"));
        }
        byte[]? note;
        try
        {
            note = await _local.ReadCheckpointAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new BoardUnreadableException("The board's checkpoint cannot be read.", e);
        }
        if (note is null)
        {
            return null;
        }
        if (_newest is { } known && known.Note.Span.SequenceEqual(note))
        {
            return known;
        }
        BoardCheckpoint? read = Verify(note, out string why);
        _newest = read ?? throw new BoardUnreadableException(why);
        return read;
    }

    /// <inheritdoc/>
    protected override Task ExecuteAsync(CancellationToken stoppingToken) =>
        _remote is null
            ? Task.CompletedTask
            : _failure.RunAsync(stop => PollAsync(_remote, _url!, stop), _logger.BoardStopped, stoppingToken);

    private async Task PollAsync(HttpTileReader remote, Uri url, CancellationToken stop)
    {
        for (int failures = 0; ;)
        {
            (string? why, Exception? exception) = await TryReadAsync(remote, url, stop).ConfigureAwait(false);
            if (why is null)
            {
                Interlocked.Exchange(ref _answeredAt, _time.GetTimestamp());
                _hasAnswered = true;
                failures = 0;
            }
            else
            {
                _metrics.Failed();
                failures = Math.Min(failures + 1, MaxDoublings);
            }
            Report(url, why, exception);
            _why = why;
            TimeSpan slower = TimeSpan.FromTicks(Math.Min((_options.PollInterval * (1 << failures)).Ticks, s_longestPause.Ticks));
            await Task.Delay(failures == 0 || slower < _options.PollInterval ? _options.PollInterval : slower, _time, stop)
                .ConfigureAwait(false);
        }
    }

    // Reads the checkpoint from the URL. Returns the reason why the answer is not trusted, or null if it is trusted.
    private async Task<(string? Why, Exception? Exception)> TryReadAsync(HttpTileReader remote, Uri url, CancellationToken stop)
    {
        byte[]? note;
        try
        {
            note = await remote.ReadCheckpointAsync(stop).ConfigureAwait(false);
        }
        catch (HttpRequestException e)
        {
            return (e.StatusCode is { } status
                ? string.Create(CultureInfo.InvariantCulture, $"It answers {(int)status}.")
                : $"It does not answer ({e.HttpRequestError}).", e);
        }
        BoardCheckpoint? known = _newest;
        if (note is null)
        {
            return (known is null ? null : "It no longer has a checkpoint.", null);
        }
        if (known is not null && known.Note.Span.SequenceEqual(note))
        {
            return (null, null);
        }
        if (Verify(note, out string why) is not { } read)
        {
            return (why, null);
        }
        if (known is not null && read.Size < known.Size)
        {
            return (string.Create(CultureInfo.InvariantCulture,
                $"Its checkpoint has size {read.Size}; it had one of size {known.Size}."), null);
        }
        if (known is not null && read.Size == known.Size && read.Root != known.Root)
        {
            if (_contradicted != read.Root)
            {
                _contradicted = read.Root;
                _logger.BoardContradicts(known.Size, known.Root, read.Root, url);
            }
            return (string.Create(CultureInfo.InvariantCulture, $"The log signed two trees of size {known.Size}."), null);
        }
        _newest = read;
        return (null, null);
    }

    private BoardCheckpoint? Verify(byte[] note, out string why)
    {
        why = "";
        TrustAnchor anchor;
        try
        {
            if (_anchor is null && !File.Exists(_data.TrustAnchor))
            {
                why = "The log's trust anchor is missing on this host: without it no checkpoint can be verified.";
                return null;
            }
            anchor = _anchor ?? TrustAnchor.Load(_data.TrustAnchor);
        }
        catch (TrustAnchorException)
        {
            why = "The log's trust anchor on this host cannot be used: without it no checkpoint can be verified.";
            return null;
        }
        if (BoardCheckpoint.Verify(anchor, note, out Reason reason) is not { } verified)
        {
            why = $"The board's checkpoint is not this log's ({reason.Name()}).";
            return null;
        }
        _anchor = anchor;
        return verified;
    }

    // Logs only when the board's state changes, because a board may be unreachable for days.
    private void Report(Uri url, string? why, Exception? exception)
    {
        if (why is null ? _why is null : why == _reported)
        {
            return;
        }
        _reported = why;
        if (why is null)
        {
            _logger.BoardFollows(url, _newest?.Size ?? 0);
        }
        else
        {
            _logger.BoardFails(url, why, exception);
        }
    }
}
