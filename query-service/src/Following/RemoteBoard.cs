using Optiks.Native;
using Optiks.Protocol;
using Optiks.QueryService.Answers;
using Optiks.ServiceDefaults;
using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>
/// Serves the files of a board at a URL. Clients and caches keep these files forever, so this class verifies every byte of them against the
/// record or the log tree of the served epoch. It requests only files that this tree must have. Thread-safe.
/// </summary>
internal sealed class RemoteBoard : IBoardFiles
{
    // The greatest length of one epoch's audit proof. It is 64 MiB, because an epoch takes at most 64 MiB of updates.
    private const int MaxLength = 64 * 1024 * 1024;

    private readonly RemoteTiles _tiles;
    private readonly CurrentEpoch _current;
    private readonly FollowerState _state;

    public RemoteBoard(RemoteTiles tiles, CurrentEpoch current, FollowerState state)
    {
        _tiles = tiles;
        _current = current;
        _state = state;
    }

    /// <inheritdoc/>
    public async Task<BoardFile?> FindAsync(string path, CancellationToken cancellationToken)
    {
        if (TilePath.TryParse(path, out TilePath tile))
        {
            return await _current.PeekOrThrow().Log.ReadTileAsync(tile, cancellationToken) is { } octets
                ? BoardFile.InMemory(octets)
                : null;
        }
        return AuditProofPath.TryParse(path, out ulong epoch) && epoch > 0 && epoch <= _current.PeekOrThrow().Epoch
            ? await FindAuditProofAsync(epoch, cancellationToken)
            : null;
    }

    /// <inheritdoc/>
    public async Task<BoardFile> FindAuditProofAsync(ulong epoch, CancellationToken cancellationToken) =>
        BoardFile.InMemory(await ReadAsync(epoch, cancellationToken));

    /// <inheritdoc/>
    public async Task ReadAuditProofAsync(ulong epoch, PooledWriter output, CancellationToken cancellationToken) =>
        output.Append(await ReadAsync(epoch, cancellationToken));

    private async Task<byte[]> ReadAsync(ulong epoch, CancellationToken cancellationToken)
    {
        BoardLog log = _current.PeekOrThrow().Log;
        EpochRecord before = EpochRecord.Decode((await log.ReadRecordAsync(epoch - 1, cancellationToken)).Span);
        EpochRecord after = EpochRecord.Decode((await log.ReadRecordAsync(epoch, cancellationToken)).Span);
        try
        {
            return await _tiles.ReadAuditProofAsync(epoch, Math.Min(MaxLength, AuditProof.ComputeMaxLength(before, after)),
                proof => VerifyAsync(log, before, after, proof), cancellationToken)
                ?? throw new BoardUnreadableException($"The audit proof of epoch {epoch} is missing.");
        }
        catch (IOException e)
        {
            throw new BoardUnreadableException($"The audit proof of epoch {epoch} cannot be read: {e.Message}", e);
        }
    }

    private async Task VerifyAsync(BoardLog log, EpochRecord before, EpochRecord after, byte[] proof)
    {
        ReadOnlyMemory<byte> start = await log.ReadRecordAsync(before.PeriodFirstEpoch, CancellationToken.None);
        var context = new VerifierContext { Anchor = _state.Anchor!, NowMs = after.TimeMs };
        AuditVerdict verdict = Verifier.Audit(context, before.Encode(), start.Span, proof);
        if (verdict.Reason != Reason.Valid || !verdict.NewRecord.Span.SequenceEqual(after.Encode()))
        {
            throw new BoardUnreadableException($"The board's audit proof of epoch {after.Epoch} is not valid ({verdict.Reason.Name()}).");
        }
    }
}
