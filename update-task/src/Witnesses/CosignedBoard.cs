using System.Collections.Concurrent;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>
/// Adds cosignatures to the board's checkpoint as they arrive. It holds the board's lock only for two small writes, never while it waits
/// for a witness. Any thread.
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

    /// <summary>Returns the board's checkpoint, or null before the first checkpoint.</summary>
    public Task<SignedCheckpoint?> ReadAsync(CancellationToken cancellationToken) => _cosigner.ReadAsync(cancellationToken);

    /// <summary>
    /// Returns the newest checkpoint that the log signed, or null before the first checkpoint. The checkpoint may wait for cosignatures
    /// before it is on the board.
    /// </summary>
    public Task<SignedCheckpoint?> ReadSignedAsync(CancellationToken cancellationToken) => _cosigner.ReadSignedAsync(cancellationToken);

    /// <summary>Publishes a checkpoint that waited for these cosignatures. Returns the board's checkpoint afterwards.</summary>
    public async Task<SignedCheckpoint?> PublishAsync(SignedCheckpoint signed, IReadOnlyCollection<VerifiedSignature> cosignatures, CancellationToken cancellationToken)
    {
        FailPoints.Hit(FailPoints.Quorum);
        using BoardLock boardLock = await BoardLock.AcquireAsync(_folder.Log, cancellationToken);
        SignedCheckpoint? published = await _cosigner.PublishAsync(boardLock, signed, cosignatures, CancellationToken.None);
        FailPoints.Hit(FailPoints.Release);
        return published;
    }

    /// <summary>
    /// Adds a cosignature of a text, together with the cosignatures that other callers gave in the meantime. Returns the board's checkpoint
    /// afterwards; null if another caller added all cosignatures, or if the board has another checkpoint now.
    /// </summary>
    public async Task<SignedCheckpoint?> AddAsync(ReadOnlyMemory<byte> text, VerifiedSignature cosignature, CancellationToken cancellationToken)
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
            VerifiedSignature[] ofPresent = [.. all.Where(one => present is not null && one.Text.Span.SequenceEqual(present.Note.Text.Span)).Select(one => one.Cosignature)];
            return ofPresent.Length == 0 ? null : await _cosigner.AddAsync(boardLock, present!.Note.Text, ofPresent, CancellationToken.None);
        }
        finally
        {
            _turn.Release();
        }
    }

    public void Dispose() => _turn.Dispose();
}
