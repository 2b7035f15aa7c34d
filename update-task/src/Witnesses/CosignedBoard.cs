using System.Collections.Concurrent;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>
/// Adds cosignatures to the board's checkpoint as they arrive. It holds the board's lock only while it writes, and never while it waits for
/// a witness. Any thread may use it.
/// </summary>
internal sealed class CosignedBoard : IDisposable
{
    private readonly SemaphoreSlim _turn = new(1, 1);
    private readonly ConcurrentQueue<(ReadOnlyMemory<byte> Text, VerifiedSignature Cosignature)> _pending = [];
    private readonly BoardFolder _folder;
    private readonly BoardCosigner _cosigner;

    public CosignedBoard(BoardFolder folder, CheckpointVerifier verifier)
    {
        _folder = folder;
        _cosigner = new BoardCosigner(folder.Log, verifier);
    }

    /// <summary>Returns the board's checkpoint, or null if the board has no checkpoint yet.</summary>
    public Task<SignedCheckpoint?> ReadAsync(CancellationToken cancellationToken) => _cosigner.ReadAsync(cancellationToken);

    /// <summary>
    /// Returns the newest checkpoint that the log signed, or null if the log has not signed any checkpoint yet. This checkpoint may still
    /// wait for cosignatures and not be on the board yet.
    /// </summary>
    public Task<SignedCheckpoint?> ReadSignedAsync(CancellationToken cancellationToken) => _cosigner.ReadSignedAsync(cancellationToken);

    /// <summary>
    /// Publishes a checkpoint on the board, together with the cosignatures that it waited for. Returns the checkpoint that the board has
    /// afterwards.
    /// </summary>
    public async Task<SignedCheckpoint?> PublishAsync(
        SignedCheckpoint signed, IReadOnlyCollection<VerifiedSignature> cosignatures, CancellationToken cancellationToken)
    {
        FailPoints.Hit(FailPoints.Quorum);
        using BoardLock boardLock = await BoardLock.AcquireAsync(_folder.Log, cancellationToken);
        SignedCheckpoint? published = await _cosigner.PublishAsync(boardLock, signed, cosignatures, CancellationToken.None);
        FailPoints.Hit(FailPoints.Release);
        return published;
    }

    /// <summary>
    /// Adds a witness's cosignature to the checkpoint with this text, together with cosignatures that other callers have passed in the
    /// meantime. Returns the checkpoint that the board has afterwards. Returns null if another caller has already added this cosignature,
    /// or if the board has a checkpoint with another text now.
    /// </summary>
    public async Task<SignedCheckpoint?> AddAsync(
        ReadOnlyMemory<byte> text, VerifiedSignature cosignature, CancellationToken cancellationToken)
    {
        _pending.Enqueue((text, cosignature));
        await _turn.WaitAsync(cancellationToken);
        try
        {
            var all = new List<(ReadOnlyMemory<byte> Text, VerifiedSignature Cosignature)>();
            while (_pending.TryDequeue(out (ReadOnlyMemory<byte> Text, VerifiedSignature Cosignature) one))
            {
                all.Add(one);
            }
            if (all.Count == 0)
            {
                return null;
            }
            using BoardLock boardLock = await BoardLock.AcquireAsync(_folder.Log, cancellationToken);
            SignedCheckpoint? present = await _cosigner.ReadAsync(CancellationToken.None);
            VerifiedSignature[] ofPresent =
                [.. all.Where(one => present is not null && one.Text.Span.SequenceEqual(present.Note.Text.Span))
                    .Select(one => one.Cosignature)];
            return ofPresent.Length == 0
                ? null
                : await _cosigner.AddAsync(boardLock, present!.Note.Text, ofPresent, CancellationToken.None);
        }
        finally
        {
            _turn.Release();
        }
    }

    public void Dispose() => _turn.Dispose();
}
