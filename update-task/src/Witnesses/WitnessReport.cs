using Optiks.Tlog;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>WitnessReport is how the task tells of its witnesses: by what it knows of them, by metrics, and in its log what is news. Any thread.</summary>
internal sealed class WitnessReport
{
    private readonly WitnessMetrics _metrics;
    private readonly ILogger _logger;
    private int _isMissing;

    public WitnessReport(WitnessState state, WitnessMetrics metrics, ILogger logger)
    {
        State = state;
        _metrics = metrics;
        _logger = logger;
    }

    /// <summary>State of the witnesses.</summary>
    public WitnessState State { get; }

    /// <summary>IsOfBoard says whether a failure is of the board's files, for which one checkpoint is not cosigned. The epoch loop stops for what is wrong with them.</summary>
    public static bool IsOfBoard(Exception e) => e is IOException or UnauthorizedAccessException or InvalidTileException or BoardConflictException;

    /// <summary>NotWritten tells of such a failure.</summary>
    public void NotWritten(Exception e) => _logger.CosignedNotWritten(e);

    /// <summary>Answered tells what a witness made of a checkpoint of this size.</summary>
    public void Answered(VerifierKey witness, ulong size, WitnessAnswer answer)
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

    /// <summary>QuorumMissing tells that the checkpoint of this size goes on waiting.</summary>
    public void QuorumMissing(ulong size)
    {
        if (Interlocked.Exchange(ref _isMissing, 1) == 0)
        {
            _logger.QuorumMissing(size);
        }
    }

    /// <summary>QuorumMet tells that it waits no longer, if any did.</summary>
    public void QuorumMet(ulong size)
    {
        if (Interlocked.Exchange(ref _isMissing, 0) == 1)
        {
            _logger.QuorumMet(size);
        }
    }
}
