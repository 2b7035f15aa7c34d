using Optiks.Tlog;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>Reports the state of the witnesses through the process's state, metrics and log; logs only changes. Any thread.</summary>
internal sealed class WitnessReport
{
    private readonly WitnessReplyMetrics _metrics;
    private readonly ILogger _logger;
    private int _isMissing;

    public WitnessReport(WitnessState state, WitnessReplyMetrics metrics, ILogger logger)
    {
        State = state;
        _metrics = metrics;
        _logger = logger;
    }

    /// <summary>The state of the witnesses.</summary>
    public WitnessState State { get; }

    /// <summary>
    /// Returns whether a failure concerns the board's files. After such a failure, one checkpoint is not cosigned; the epoch loop itself
    /// stops for faults in the board's files.
    /// </summary>
    public static bool IsBoardError(Exception e) => e is IOException or UnauthorizedAccessException or InvalidTileException or BoardConflictException;

    /// <summary>Reports that cosignatures could not be written to the board's files.</summary>
    public void NotWritten(Exception e) => _logger.CosignedNotWritten(e);

    /// <summary>Reports a witness's answer to a checkpoint of this size.</summary>
    public void Answered(VerifierKey witness, ulong size, WitnessReply answer)
    {
        _metrics.Answered(witness, answer.Outcome);
        if (answer.WentBack)
        {
            _logger.WitnessWentBack(witness.Name);
        }
        if (!State.Answered(witness, size, answer))
        {
            return;
        }
        switch (answer.Outcome)
        {
            case WitnessOutcome.Cosigned:
                _logger.WitnessCosigns(witness.Name);
                break;
            case WitnessOutcome.Ahead:
                _logger.WitnessAhead(witness.Name, answer.Detail);
                break;
            default:
                _logger.WitnessFails(witness.Name, answer.Detail);
                break;
        }
    }

    /// <summary>Reports that the checkpoint of this size still waits for a quorum.</summary>
    public void QuorumMissing(ulong size)
    {
        if (Interlocked.Exchange(ref _isMissing, 1) == 0)
        {
            _logger.QuorumMissing(size);
        }
    }

    /// <summary>Reports that no checkpoint waits for a quorum any more, if one did before.</summary>
    public void QuorumMet(ulong size)
    {
        if (Interlocked.Exchange(ref _isMissing, 0) == 1)
        {
            _logger.QuorumMet(size);
        }
    }
}
