using System.Globalization;
using Optiks.Tlog;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>
/// Holds the process's knowledge of its witnesses: each witness's last answer, and the last checkpoint with enough cosignatures. Any
/// thread.
/// </summary>
internal sealed class WitnessState
{
    private readonly Lock _lock = new();
    private readonly Dictionary<VerifierKey, WitnessStanding> _witnesses = [];
    private readonly TimeProvider _time;
    private ulong _missingSize;
    private long? _missingSince;
    private bool _isAsked;
    private ulong _waiting;
    private ulong _published;

    public WitnessState(TimeProvider time) => _time = time;

    /// <summary>Whether the newest known checkpoint has enough cosignatures; true if no witness is asked.</summary>
    public bool IsQuorumMet
    {
        get
        {
            lock (_lock)
            {
                return _missingSince is null;
            }
        }
    }

    /// <summary>The number of epochs that are signed but not published, because their checkpoint waits for witnesses.</summary>
    public ulong Waiting
    {
        get
        {
            lock (_lock)
            {
                return _waiting;
            }
        }
    }

    /// <summary>The standings of all witnesses that were asked.</summary>
    public IReadOnlyList<WitnessStanding> Standings
    {
        get
        {
            lock (_lock)
            {
                return [.. _witnesses.Values];
            }
        }
    }

    /// <summary>
    /// Records an answer about a checkpoint of this size. Returns true if the outcome differs from the witness's last outcome.
    /// </summary>
    public bool Answered(VerifierKey witness, ulong size, WitnessReply answer)
    {
        lock (_lock)
        {
            WitnessStanding? before = _witnesses.GetValueOrDefault(witness);
            _witnesses[witness] = answer.Cosignature is { } cosignature
                ? new WitnessStanding(witness, answer.Outcome, size, cosignature.Timestamp ?? 0)
                : new WitnessStanding(witness, answer.Outcome, before?.Size ?? 0, before?.Time ?? 0);
            return before?.Outcome != answer.Outcome;
        }
    }

    /// <summary>
    /// Records the size of a checkpoint and whether its cosignatures are enough. The quorum counts as missing from the first checkpoint
    /// without enough cosignatures until a checkpoint has enough.
    /// </summary>
    public void Published(ulong size, bool isQuorumMet)
    {
        lock (_lock)
        {
            _isAsked = true;
            if (isQuorumMet)
            {
                _missingSince = null;
            }
            else if (_missingSince is null)
            {
                _missingSince = _time.GetTimestamp();
                _missingSize = size;
            }
        }
    }

    /// <summary>
    /// Records the sizes of the newest signed checkpoint and of the published checkpoint, where cosignatures are required.
    /// </summary>
    public void Waits(ulong signed, ulong published)
    {
        lock (_lock)
        {
            _waiting = signed - Math.Min(signed, published);
            _published = published;
        }
    }

    /// <summary>Returns whether the quorum has been missing for longer than this time.</summary>
    public bool IsMissing(TimeSpan grace)
    {
        lock (_lock)
        {
            return IsMissingFor(grace);
        }
    }

    /// <summary>Describes the state in a sentence, for the task's health report. Returns null if no witness is asked.</summary>
    public string? Describe(TimeSpan grace)
    {
        lock (_lock)
        {
            if (!_isAsked)
            {
                return null;
            }
            string cosigning = string.Create(CultureInfo.InvariantCulture, $"{_witnesses.Values.Count(one => one.Outcome == WitnessOutcome.Cosigned)} of {_witnesses.Count} witnesses cosign");
            string waiting = _waiting == 0 ? "" : string.Create(CultureInfo.InvariantCulture, $" Nothing beyond size {_published} is published.");
            return IsMissingFor(grace)
                ? string.Create(CultureInfo.InvariantCulture, $"The quorum of witnesses has been missing since size {_missingSize}: {cosigning}.{waiting}")
                : $"{cosigning}.";
        }
    }

    private bool IsMissingFor(TimeSpan grace) => _missingSince is { } since && _time.GetElapsedTime(since) > grace;
}
