using System.Collections.Concurrent;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>
/// CosignedBoard puts cosignatures under the board's checkpoint as they come. It holds the board's lock for as long as two small writes take, and never while a witness is waited for. Any thread.
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

    /// <summary>ReadAsync gives the board's checkpoint; null when there is none yet.</summary>
    public Task<SignedCheckpoint?> ReadAsync(CancellationToken cancellationToken) => _cosigner.ReadAsync(cancellationToken);

    /// <summary>ReadSignedAsync gives the newest checkpoint that the log signed, which may wait for cosignatures before it is the board's; null when there is none yet.</summary>
    public Task<SignedCheckpoint?> ReadSignedAsync(CancellationToken cancellationToken) => _cosigner.ReadSignedAsync(cancellationToken);

    /// <summary>PublishAsync makes a checkpoint the board's that waited for these cosignatures. Gives the board's checkpoint after it.</summary>
    public async Task<SignedCheckpoint?> PublishAsync(SignedCheckpoint signed, IReadOnlyCollection<VerifiedSignature> cosignatures, CancellationToken cancellationToken)
    {
        FailPoints.Hit(FailPoints.Quorum);
        using BoardLock boardLock = await BoardLock.AcquireAsync(_folder.Log, cancellationToken);
        SignedCheckpoint? published = await _cosigner.PublishAsync(boardLock, signed, cosignatures, CancellationToken.None);
        FailPoints.Hit(FailPoints.Release);
        return published;
    }

    /// <summary>AddAsync adds a cosignature of a text, and those that others gave meanwhile. Gives the board's checkpoint after it; null: someone else added all, or the board has another one by now.</summary>
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
