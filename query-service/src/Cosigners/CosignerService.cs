using Microsoft.Extensions.Options;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.QueryService.Options;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;
using Optiks.Tlog;

namespace Optiks.QueryService.Cosigners;

/// <summary>
/// Collects the checkpoints that cosigners signed, in the background. Asks each cosigner that has an address, one request at a time, and
/// also reads the checkpoint on the board. No answer to a client waits for this service. If a cosigner keeps failing, the service asks it
/// less often, but at least once per <see cref="s_longestPause"/>.
/// </summary>
internal sealed class CosignerService : BackgroundService
{
    private const int MaxDoublings = 6;

    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_longestPause = TimeSpan.FromMinutes(1);

    // The pause between two reads of the board. It is short because a checkpoint with cosignatures stays on the board only until the next
    // checkpoint replaces it.
    private static readonly TimeSpan s_boardPause = TimeSpan.FromMilliseconds(200);

    // The pause before the service tries a checkpoint again that is newer than this replica's log. A cosigner may briefly have such a
    // checkpoint if it got the checkpoint from another replica.
    private static readonly TimeSpan s_aheadPause = TimeSpan.FromMilliseconds(200);
    private const int AheadAttempts = 10;

    private const string Contradiction =
        "It cosigned a checkpoint that the log signed, but of another history than the one that this replica serves.";

    private readonly CosignerList? _list;
    private readonly TimeSpan _interval;
    private readonly BoardWatch _board;
    private readonly FollowerState _state;
    private readonly CosignedCheckpoints _checkpoints;
    private readonly CosignerMetrics _metrics;
    private readonly HostFailure _failure;
    private readonly TimeProvider _time;
    private readonly ILogger<CosignerService> _logger;

    public CosignerService(
        IOptions<QueryServiceOptions> options, BoardWatch board, FollowerState state, CosignedCheckpoints checkpoints,
        CosignerMetrics metrics, HostFailure failure, TimeProvider time, ILogger<CosignerService> logger)
    {
        _list = CosignerList.Load(options.Value);
        _interval = options.Value.CosignersInterval;
        _board = board;
        _state = state;
        _checkpoints = checkpoints;
        _metrics = metrics;
        _failure = failure;
        _time = time;
        _logger = logger;
    }

    protected override Task ExecuteAsync(CancellationToken stoppingToken) =>
        _list is null ? Task.CompletedTask : _failure.RunAsync(stop => RunAsync(_list, stop), _logger.Stopped, stoppingToken);

    private async Task RunAsync(CosignerList list, CancellationToken stop)
    {
        TrustAnchor? anchor;
        while ((anchor = _state.Anchor) is null)
        {
            await Task.Delay(s_boardPause, _time, stop);
        }
        IReadOnlyList<Cosigner> cosigners = list.ForLog(anchor.LogKey);
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stop);
        Task[] all = [ReadBoardAsync(anchor.LogKey, cosigners, ended.Token),
            .. cosigners.Where(one => one.Checkpoint is not null).Select(one => AskAsync(anchor.LogKey, one, ended.Token))];
        // If one loop ends, it has failed because of a bug, so the code ends the other loops too.
        await Task.WhenAny(all);
        await ended.CancelAsync();
        await Task.WhenAll(all);
    }

    private async Task AskAsync(VerifierKey logKey, Cosigner cosigner, CancellationToken stop)
    {
        using var client = new CosignerClient(cosigner, logKey, _time, s_timeout, _state.MaxAhead);
        string? trouble = null;
        for (int failures = 0; ;)
        {
            (SignedCheckpoint? checkpoint, string why) = await client.AskAsync(stop);
            if (checkpoint is not null)
            {
                why = await TakeAsync(logKey, checkpoint, checkpoint.Cosignatures[0], stop) ?? "";
            }
            _metrics.Asked(cosigner.Key, why.Length == 0);
            failures = why.Length == 0 ? 0 : Math.Min(failures + 1, MaxDoublings);
            if (why != trouble)
            {
                // The service logs only changes, because a cosigner may be down for days.
                trouble = why;
                Report(cosigner.Key, checkpoint, why);
            }
            TimeSpan pause = failures == 0
                ? _interval
                : TimeSpan.FromTicks(Math.Min((_interval * (1 << failures)).Ticks, Math.Max(s_longestPause.Ticks, _interval.Ticks)));
            await Task.Delay(pause, _time, stop);
        }
    }

    private void Report(VerifierKey cosigner, SignedCheckpoint? checkpoint, string why)
    {
        switch (why)
        {
            case "":
                _logger.CosignerWorks(cosigner.Name);
                break;
            case Contradiction:
                _logger.CosignerContradicts(cosigner.Name, checkpoint!.Checkpoint.Size, checkpoint.Checkpoint.Root);
                break;
            default:
                _logger.CosignerFails(cosigner.Name, why);
                break;
        }
    }

    // Tries to keep a checkpoint. Returns the reason why the checkpoint was not accepted; null if it was accepted.
    private async Task<string?> TakeAsync(
        VerifierKey logKey, SignedCheckpoint checkpoint, VerifiedSignature cosignature, CancellationToken stop)
    {
        try
        {
            for (int attempt = 1; ; attempt++)
            {
                switch (await _checkpoints.TakeAsync(logKey, checkpoint, cosignature, stop))
                {
                    case TakeResult.Contradicts:
                        return Contradiction;
                    case TakeResult.Ahead when attempt < AheadAttempts:
                        await Task.Delay(s_aheadPause, _time, stop);
                        break;
                    case TakeResult.Ahead:
                        return "It cosigned a larger checkpoint than the log that this replica serves.";
                    default:
                        return null;
                }
            }
        }
        catch (BoardUnreadableException e)
        {
            _logger.BoardUnreadable(e);
            return "This replica cannot read the board.";
        }
    }

    private async Task ReadBoardAsync(VerifierKey logKey, IReadOnlyList<Cosigner> cosigners, CancellationToken stop)
    {
        var verifier = new CheckpointVerifier(logKey, [.. cosigners.Select(one => one.Key)], Ed25519.Verifier);
        ReadOnlyMemory<byte> before = default;
        while (true)
        {
            if (await FindOnBoardAsync(stop) is { } note && !note.Span.SequenceEqual(before.Span))
            {
                before = note;
                // If TryOpen fails, the loop ignores the note. TryOpen fails for a note with an invalid cosignature, and the update-task
                // never writes such a note.
                if (verifier.TryOpen(note.Span, out SignedCheckpoint? opened, out _))
                {
                    foreach (VerifiedSignature cosignature in opened.Cosignatures.Where(
                        one => !Cosignature.IsAhead(one.Timestamp!.Value, _time.GetUtcNow(), _state.MaxAhead)))
                    {
                        if (await TakeAsync(logKey, opened, cosignature, stop) is { } why)
                        {
                            Report(cosignature.Key, opened, why);
                        }
                    }
                }
            }
            await Task.Delay(s_boardPause, _time, stop);
        }
    }

    private async Task<ReadOnlyMemory<byte>?> FindOnBoardAsync(CancellationToken stop)
    {
        try
        {
            return (await _board.ReadAsync(stop))?.Note;
        }
        catch (BoardUnreadableException)
        {
            // This code logs nothing, because the service already logs that the board is unreadable when the follower or a request cannot
            // read it.
            return null;
        }
    }
}
