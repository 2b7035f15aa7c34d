using Optiks.Tlog;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>
/// Reports the state of the witnesses through the process's state, metrics and log. It logs only changes. Any thread may use it.
/// </summary>
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
    /// Returns whether an exception comes from reading or writing the board's files. After such a failure, one checkpoint stays without new
    /// cosignatures. The witness service continues, because the epoch loop handles faults in the board's files.
    /// </summary>
    public static bool IsBoardError(Exception e) =>
        e is IOException or UnauthorizedAccessException or InvalidTileException or BoardConflictException;

    /// <summary>Reports that a checkpoint with cosignatures could not be read from or written to the board's files.</summary>
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

    /// <summary>
    /// Reports that the checkpoint of this size has met the quorum. Logs this only if an earlier checkpoint was reported as missing the
    /// quorum.
    /// </summary>
    public void QuorumMet(ulong size)
    {
        if (Interlocked.Exchange(ref _isMissing, 0) == 1)
        {
            _logger.QuorumMet(size);
        }
    }
}
