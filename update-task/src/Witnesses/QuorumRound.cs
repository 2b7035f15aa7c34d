using Optiks.Tlog;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>
/// Holds the state of one round: a checkpoint that all witnesses are asked to cosign, and their answers. Any thread may use it.
/// </summary>
internal sealed class QuorumRound
{
    private readonly Lock _lock = new();
    private readonly Dictionary<VerifierKey, VerifiedSignature> _cosignatures;
    private readonly Func<IEnumerable<VerifiedSignature>, bool> _isMet;
    private readonly TaskCompletionSource<IReadOnlyList<VerifiedSignature>?> _ended = new(
        TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<bool> _published = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _left;

    /// <param name="signed">The checkpoint that witnesses cosign.</param>
    /// <param name="witnesses">The number of witnesses that are asked.</param>
    /// <param name="isMet">The function that returns whether the given cosignatures meet the quorum.</param>
    public QuorumRound(SignedCheckpoint signed, int witnesses, Func<IEnumerable<VerifiedSignature>, bool> isMet)
    {
        Signed = signed;
        Note = SignedNote.Create(signed.Note.Text.Span, [signed.Note.Signatures[0]]);
        _cosignatures = signed.Cosignatures.ToDictionary(cosignature => cosignature.Key);
        _left = witnesses;
        _isMet = isMet;
    }

    /// <summary>The checkpoint that witnesses are asked to cosign.</summary>
    public SignedCheckpoint Signed { get; }

    /// <summary>The same checkpoint as a note that has only the log's signature.</summary>
    public SignedNote Note { get; }

    /// <summary>
    /// A task that completes with the cosignatures as soon as they meet the quorum. It completes with null if every witness has answered
    /// and the quorum is not met.
    /// </summary>
    public Task<IReadOnlyList<VerifiedSignature>?> Ended => _ended.Task;

    /// <summary>A task that completes when the round is over. Its result says whether the round's checkpoint is on the board.</summary>
    public Task<bool> Published => _published.Task;

    /// <summary>
    /// Records a witness's answer; the caller calls this once for each witness. The parameter <paramref name="cosignature"/> is null if the
    /// witness did not cosign. Returns false if the quorum was already met, so that the cosignature is late and must be added to the
    /// board's checkpoint.
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

    /// <summary>Ends the round. The parameter <paramref name="isPublished"/> says whether the round's checkpoint is on the board.</summary>
    public void Close(bool isPublished) => _published.TrySetResult(isPublished);
}
