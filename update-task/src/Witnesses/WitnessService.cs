using Microsoft.Extensions.Options;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Hosting;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>
/// Asks all witnesses of the policy in parallel to cosign the checkpoints that this task has signed while it holds the lease. No epoch
/// waits for a cosignature. If cosignatures are required, checkpoints wait for their cosignatures before they are published (the class
/// <see cref="QuorumRounds"/>). If cosignatures are optional, each witness is asked again once it has answered, for the checkpoint that is
/// then the newest. The witness is never asked to cosign a checkpoint that a newer one superseded while the witness was answering.
/// </summary>
internal sealed class WitnessService : BackgroundService
{
    private readonly WitnessPolicy? _policy;
    private readonly WitnessOptions _options;
    private readonly TimeSpan _tolerance;
    private readonly BoardFolder _board;
    private readonly TaskState _task;
    private readonly WitnessReport _report;
    private readonly HostFailure _failure;
    private readonly TimeProvider _time;
    private readonly ILogger<WitnessService> _logger;

    public WitnessService(
        IOptions<WitnessOptions> options, IOptions<EpochOptions> epochs, BoardFolder board, TaskState task, WitnessState state,
        WitnessReplyMetrics metrics, HostFailure failure, TimeProvider time,
        ILogger<WitnessService> logger)
    {
        _options = options.Value;
        _policy = WitnessPolicy.Load(_options);
        _tolerance = epochs.Value.MaxClockDifference;
        _board = board;
        _task = task;
        _report = new WitnessReport(state, metrics, logger);
        _failure = failure;
        _time = time;
        _logger = logger;
    }

    protected override Task ExecuteAsync(CancellationToken stoppingToken) =>
        _policy is null ? Task.CompletedTask : _failure.RunAsync(stop => RunAsync(_policy, stop), e => _logger.Stopped(e), stoppingToken);

    private async Task RunAsync(WitnessPolicy policy, CancellationToken stop)
    {
        await _task.NextPublishedAsync(null, stop);
        CheckpointVerifier verifier = policy.CreateVerifier(TrustAnchor.Load(_board.Data.TrustAnchor).LogKey);
        using var board = new CosignedBoard(_board, verifier);
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(stop);
        Task[] all = _options.Require
            ? InRounds(policy, board, ended.Token)
            : [.. policy.Witnesses.Select(witness => AskAsync(witness, policy.Policy, board, ended.Token))];
        // The loops run until the service stops. If one ends earlier, it has failed because of a bug, and the service ends the other loops.
        await Task.WhenAny(all);
        await ended.CancelAsync();
        await Task.WhenAll(all);
    }

    private Task[] InRounds(WitnessPolicy policy, CosignedBoard board, CancellationToken stop)
    {
        var rounds = new QuorumRounds(policy, board, _task, _report, _options, _tolerance, _time);
        async Task AskAsync(WitnessAddress witness)
        {
            using WitnessClient client = CreateClient(witness);
            await rounds.AskAsync(client, stop);
        }
        return [rounds.LeadAsync(stop), .. policy.Witnesses.Select(AskAsync)];
    }

    private WitnessClient CreateClient(WitnessAddress witness) => new(witness, _board, _time, _options.Timeout, _tolerance);

    private async Task AskAsync(WitnessAddress witness, TlogPolicy policy, CosignedBoard board, CancellationToken stop)
    {
        using WitnessClient client = CreateClient(witness);
        ulong? epoch = null;
        while (true)
        {
            epoch = await _task.NextPublishedAsync(epoch, stop);
            bool isDone = false;
            try
            {
                isDone = await TryAskAsync(client, policy, board, stop);
            }
            catch (Exception e) when (WitnessReport.IsBoardError(e))
            {
                _report.NotWritten(e);
            }
            if (!isDone)
            {
                await Task.Delay(_options.RetryAfter, _time, stop);
                // With null as the known epoch, the loop does not wait for a new epoch. It asks the witness again at once, with the
                // checkpoint that is the newest then.
                epoch = null;
            }
        }
    }

    private async Task<bool> TryAskAsync(WitnessClient client, TlogPolicy policy, CosignedBoard board, CancellationToken stop)
    {
        if (await board.ReadAsync(stop) is not { } published)
        {
            return false;
        }
        _report.State.Published(published.Checkpoint.Size, IsMet(policy, published));
        NoteSignature byLog = published.Note.Signatures[0];
        SignedNote note = SignedNote.Create(published.Note.Text.Span, [byLog]);
        WitnessReply answer = await client.AskAsync(
            note, published.Checkpoint, async () => (await board.ReadAsync(stop))?.Checkpoint.Size ?? 0, stop);
        _report.Answered(client.Witness.Key, published.Checkpoint.Size, answer);
        if (answer.Cosignature is not { } cosignature)
        {
            return false;
        }
        if (await board.AddAsync(published.Note.Text, cosignature, stop) is { } cosigned)
        {
            _report.State.Published(cosigned.Checkpoint.Size, IsMet(policy, cosigned));
        }
        return true;
    }

    private bool IsMet(TlogPolicy policy, SignedCheckpoint checkpoint) =>
        policy.Evaluate(checkpoint.Cosignatures, _time.GetUtcNow(), _tolerance).IsQuorumMet;
}
