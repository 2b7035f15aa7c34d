using Optiks.Tlog;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>QuorumRound is one checkpoint that all witnesses are asked for. Any thread.</summary>
internal sealed class QuorumRound
{
    private readonly Lock _lock = new();
    private readonly Dictionary<VerifierKey, VerifiedSignature> _cosignatures;
    private readonly Func<IEnumerable<VerifiedSignature>, bool> _isMet;
    private readonly TaskCompletionSource<IReadOnlyList<VerifiedSignature>?> _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<bool> _published = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _left;

    /// <param name="signed">The checkpoint.</param>
    /// <param name="witnesses">How many are asked for it.</param>
    /// <param name="isMet">Says whether cosignatures are enough.</param>
    public QuorumRound(SignedCheckpoint signed, int witnesses, Func<IEnumerable<VerifiedSignature>, bool> isMet)
    {
        Signed = signed;
        Note = SignedNote.Create(signed.Note.Text.Span, [signed.Note.Signatures[0]]);
        _cosignatures = signed.Cosignatures.ToDictionary(cosignature => cosignature.Key);
        _left = witnesses;
        _isMet = isMet;
    }

    /// <summary>Signed is the checkpoint.</summary>
    public SignedCheckpoint Signed { get; }

    /// <summary>Note with the log's signature alone.</summary>
    public SignedNote Note { get; }

    /// <summary>Ended completes with the cosignatures as soon as they are enough, or with null when every witness has answered and they are not.</summary>
    public Task<IReadOnlyList<VerifiedSignature>?> Ended => _ended.Task;

    /// <summary>Published completes when the round is over: with true once its checkpoint is the board's.</summary>
    public Task<bool> Published => _published.Task;

    /// <summary>Answer takes what a witness made of the checkpoint, once of each; null: no cosignature. False: the quorum was met before, so that what the witness gave comes late.</summary>
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

    /// <summary>Close ends the round.</summary>
    public void Close(bool isPublished) => _published.TrySetResult(isPublished);
}
