using System.Globalization;
using Optiks.Tlog;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>
/// Holds what this process knows about its witnesses: each witness's last answer, and whether the quorum is met. Any thread may use it.
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

    /// <summary>Whether the newest checkpoint that this process knows has enough cosignatures; true if no witness is asked.</summary>
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

    /// <summary>The state of each witness that has been asked since the start.</summary>
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
    /// Records a witness's answer about a checkpoint of this size. Returns true if its outcome differs from the outcome of the witness's
    /// previous answer.
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
    /// Records the size of a checkpoint and whether its cosignatures meet the quorum. The quorum starts to be missing with a checkpoint
    /// that does not meet it, and stays missing until a checkpoint meets it.
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
    /// Records the sizes of the newest signed checkpoint and of the published checkpoint. Called only if cosignatures are required.
    /// </summary>
    public void Waits(ulong signed, ulong published)
    {
        lock (_lock)
        {
            _waiting = signed - Math.Min(signed, published);
            _published = published;
        }
    }

    /// <summary>Returns whether the quorum has been missing for longer than the time in the parameter <paramref name="grace"/>.</summary>
    public bool IsMissing(TimeSpan grace)
    {
        lock (_lock)
        {
            return IsMissingFor(grace);
        }
    }

    /// <summary>
    /// Describes the state of the witnesses in a text for the task's health report. Returns null if no witness has been asked yet.
    /// </summary>
    public string? Describe(TimeSpan grace)
    {
        lock (_lock)
        {
            if (!_isAsked)
            {
                return null;
            }
            string cosigning = string.Create(CultureInfo.InvariantCulture,
                $"{_witnesses.Values.Count(one => one.Outcome == WitnessOutcome.Cosigned)} of {_witnesses.Count} witnesses cosign");
            string waiting = _waiting == 0
                ? ""
                : string.Create(CultureInfo.InvariantCulture, $" Nothing beyond size {_published} is published.");
            return IsMissingFor(grace)
                ? string.Create(CultureInfo.InvariantCulture,
                    $"The quorum of witnesses has been missing since size {_missingSize}: {cosigning}.{waiting}")
                : $"{cosigning}.";
        }
    }

    private bool IsMissingFor(TimeSpan grace) => _missingSince is { } since && _time.GetElapsedTime(since) > grace;
}
