using Optiks.Tlog;
using Optiks.UpdateTask.Hosting;
using Optiks.UpdateTask.Options;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>
/// Publishes checkpoints once enough witnesses have cosigned them (the option <see cref="WitnessOptions.Require"/>; docs/spec/board.md
/// section 3). It works in rounds. In each round, all witnesses are asked to cosign the same checkpoint, which is the newest when the round
/// begins. Without rounds, fast and slow witnesses would rarely cosign the same checkpoint. A round ends when the quorum is met or when
/// every witness has answered. Checkpoints that the log signs during a round are skipped, except the newest.
/// </summary>
internal sealed class QuorumRounds
{
    private readonly WitnessPolicy _policy;
    private readonly CosignedBoard _board;
    private readonly TaskState _task;
    private readonly WitnessReport _report;
    private readonly WitnessOptions _options;
    private readonly TimeSpan _tolerance;
    private readonly TimeProvider _time;
    private QuorumRound? _round;
    private TaskCompletionSource _begun = NewSource();

    public QuorumRounds(WitnessPolicy policy, CosignedBoard board, TaskState task, WitnessReport report, WitnessOptions options,
        TimeSpan tolerance, TimeProvider time)
    {
        _policy = policy;
        _board = board;
        _task = task;
        _report = report;
        _options = options;
        _tolerance = tolerance;
        _time = time;
    }

    /// <summary>Runs one round after another while this task leads and a checkpoint waits for its cosignatures.</summary>
    public async Task LeadAsync(CancellationToken stop)
    {
        ulong? epoch = null;
        while (true)
        {
            epoch = await _task.NextPublishedAsync(epoch, stop);
            if (!await TryRoundAsync(stop))
            {
                await Task.Delay(_options.RetryAfter, _time, stop);
                // With null as the known epoch, the loop does not wait for a new epoch. It begins another round at once, with the
                // checkpoint that is the newest then.
                epoch = null;
            }
        }
    }

    /// <summary>
    /// Asks one witness to cosign the checkpoint of each round. If a round begins and ends while the witness still answers for an earlier
    /// round, the witness is not asked in that round.
    /// </summary>
    public async Task AskAsync(WitnessClient client, CancellationToken stop)
    {
        QuorumRound? round = null;
        while (true)
        {
            round = await NextAsync(round, stop);
            VerifiedSignature? cosignature = null;
            try
            {
                WitnessReply answer = await client.AskAsync(
                    round.Note, round.Signed.Checkpoint, async () => (await _board.ReadSignedAsync(stop))?.Checkpoint.Size ?? 0, stop);
                _report.Answered(client.Witness.Key, round.Signed.Checkpoint.Size, answer);
                cosignature = answer.Cosignature;
            }
            catch (Exception e) when (WitnessReport.IsBoardError(e))
            {
                _report.NotWritten(e);
            }
            if (!round.Answer(cosignature) && cosignature is not null)
            {
                await AddAsync(round, cosignature, stop);
            }
        }
    }

    private static TaskCompletionSource NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Runs one round. Returns false if the round must be repeated.
    private async Task<bool> TryRoundAsync(CancellationToken stop)
    {
        QuorumRound? round = null;
        bool isPublished = false;
        try
        {
            SignedCheckpoint? signed = await _board.ReadSignedAsync(stop);
            SignedCheckpoint? published = await _board.ReadAsync(stop);
            if (signed is null)
            {
                return false;
            }
            ulong size = signed.Checkpoint.Size;
            _report.State.Waits(size, published?.Checkpoint.Size ?? 0);
            if (published?.Checkpoint.Size >= size && IsMet(published.Cosignatures))
            {
                _report.State.Published(size, isQuorumMet: true);
                return true;
            }
            _report.State.Published(size, isQuorumMet: false);
            round = new QuorumRound(signed, _policy.Witnesses.Count, IsMet);
            Volatile.Write(ref _round, round);
            Interlocked.Exchange(ref _begun, NewSource()).SetResult();
            if (await round.Ended.WaitAsync(stop) is not { } cosignatures)
            {
                _report.QuorumMissing(size);
                return false;
            }
            published = await _board.PublishAsync(signed, cosignatures, stop);
            isPublished = true;
            _report.State.Waits(size, published?.Checkpoint.Size ?? 0);
            _report.State.Published(size, isQuorumMet: true);
            _report.QuorumMet(size);
            return true;
        }
        catch (Exception e) when (WitnessReport.IsBoardError(e))
        {
            _report.NotWritten(e);
            return false;
        }
        finally
        {
            round?.Close(isPublished);
        }
    }

    private async Task<QuorumRound> NextAsync(QuorumRound? known, CancellationToken stop)
    {
        while (true)
        {
            // The method takes this signal before it reads the current round, so that a round that begins later wakes it.
            Task begun = Volatile.Read(ref _begun).Task;
            if (Volatile.Read(ref _round) is { } round && round != known)
            {
                return round;
            }
            await begun.WaitAsync(stop);
        }
    }

    // Adds a cosignature that came after the quorum was met. Waits first if the round's checkpoint is not yet on the board.
    private async Task AddAsync(QuorumRound round, VerifiedSignature cosignature, CancellationToken stop)
    {
        try
        {
            if (await round.Published.WaitAsync(stop))
            {
                await _board.AddAsync(round.Note.Text, cosignature, stop);
            }
        }
        catch (Exception e) when (WitnessReport.IsBoardError(e))
        {
            _report.NotWritten(e);
        }
    }

    private bool IsMet(IEnumerable<VerifiedSignature> cosignatures) =>
        _policy.Policy.Evaluate(cosignatures, _time.GetUtcNow(), _tolerance).IsQuorumMet;
}
