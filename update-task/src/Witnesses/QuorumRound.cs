using Optiks.Tlog;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>Holds one checkpoint that all witnesses are asked to cosign. Any thread.</summary>
internal sealed class QuorumRound
{
    private readonly Lock _lock = new();
    private readonly Dictionary<VerifierKey, VerifiedSignature> _cosignatures;
    private readonly Func<IEnumerable<VerifiedSignature>, bool> _isMet;
    private readonly TaskCompletionSource<IReadOnlyList<VerifiedSignature>?> _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<bool> _published = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _left;

    /// <param name="signed">The checkpoint that witnesses cosign.</param>
    /// <param name="witnesses">The number of witnesses that are asked.</param>
    /// <param name="isMet">The function that returns whether cosignatures are enough.</param>
    public QuorumRound(SignedCheckpoint signed, int witnesses, Func<IEnumerable<VerifiedSignature>, bool> isMet)
    {
        Signed = signed;
        Note = SignedNote.Create(signed.Note.Text.Span, [signed.Note.Signatures[0]]);
        _cosignatures = signed.Cosignatures.ToDictionary(cosignature => cosignature.Key);
        _left = witnesses;
        _isMet = isMet;
    }

    /// <summary>The checkpoint.</summary>
    public SignedCheckpoint Signed { get; }

    /// <summary>The note with the log's signature only.</summary>
    public SignedNote Note { get; }

    /// <summary>
    /// Completes with the cosignatures as soon as the cosignatures are enough, or with null if they are not enough after every witness has
    /// answered.
    /// </summary>
    public Task<IReadOnlyList<VerifiedSignature>?> Ended => _ended.Task;

    /// <summary>Completes when the round is over, with true if its checkpoint is on the board.</summary>
    public Task<bool> Published => _published.Task;

    /// <summary>
    /// Records a witness's answer, once for each witness; null if the witness did not cosign. Returns false if the quorum was met before,
    /// so that the cosignature is late.
    /// </summary>
    public bool Answer(VerifiedSignature? cosignature)
    {
        lock (_lock)
        {
            _left--;
            if (_ended.Task.IsCompleted)
            {
                return false;
            }
            if (cosignature is not null)
            {
                _cosignatures[cosignature.Key] = cosignature;
            }
            if (_isMet(_cosignatures.Values))
            {
                _ended.SetResult([.. _cosignatures.Values]);
            }
            else if (_left == 0)
            {
                _ended.SetResult(null);
            }
            return true;
        }
    }

    /// <summary>Ends the round, with whether its checkpoint is on the board.</summary>
    public void Close(bool isPublished) => _published.TrySetResult(isPublished);
}
