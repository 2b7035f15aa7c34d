using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// Reads and checks a log's bulletin board (docs/spec/board.md) from a query-service, from any web server that has its files, or from a
/// folder. It does not trust the board: everything that it returns hashes to a checkpoint that the log signed. It does not check proofs of
/// trees; <see cref="AuditorSession"/> checks them. Members throw <see cref="InvalidTileException"/> for files that do not make up the
/// signed tree, and pass the reader's exceptions to the caller. Callers make one call at a time.
/// </summary>
public sealed class OptiksBoard
{
    private readonly TrustAnchor _anchor;
    private readonly ITileReader _tiles;

    /// <summary>Creates a reader of one log's board.</summary>
    /// <param name="anchor">The log's trust anchor.</param>
    /// <param name="tiles">Reads the files of the board.</param>
    public OptiksBoard(TrustAnchor anchor, ITileReader tiles)
    {
        _anchor = anchor;
        _tiles = tiles;
    }

    /// <summary>
    /// Reads the newest checkpoint. Returns null when the board has no checkpoint yet, and a reason without a note when the log did not
    /// sign the checkpoint.
    /// </summary>
    public async Task<(Reason Reason, VerifiedNote? Note)?> CheckpointAsync(CancellationToken cancellationToken)
    {
        if (await _tiles.ReadCheckpointAsync(cancellationToken).ConfigureAwait(false) is not { } octets)
        {
            return null;
        }
        Reason reason = VerifiedNote.Verify(_anchor, octets, out VerifiedNote? note);
        return (reason, note);
    }

    /// <summary>Reads every tile and every entry of a checkpoint's tree, and checks each record against the record before it.</summary>
    /// <param name="note">The checkpoint.</param>
    /// <param name="progress">Receives the number of entries checked so far.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    public async Task<BoardAccount> AccountAsync(VerifiedNote note, IProgress<ulong>? progress, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(note);
        var reader = new HashReader(_tiles, note.Size, TreeHash.FromBytes(note.Root));
        var walk = new RecordWalk(_anchor);
        ReadOnlyMemory<byte> before = default;
        for (ulong index = 0; index * TilePath.FullWidth < note.Size; index++)
        {
            ulong epoch = index * TilePath.FullWidth;
            foreach (ReadOnlyMemory<byte> entry in await reader.ReadBundleAsync(index, cancellationToken).ConfigureAwait(false))
            {
                Reason reason = walk.Step(entry);
                if (reason != Reason.Valid)
                {
                    return new BoardAccount(reason, epoch, before.IsEmpty ? 0 : EpochRecord.ReadPeriod(before.Span) + 1, Time(before));
                }
                before = entry;
                epoch++;
            }
            progress?.Report(epoch);
        }
        return new BoardAccount(Reason.Valid, note.Size - 1, EpochRecord.ReadPeriod(before.Span) + 1, Time(before));
    }

    /// <summary>
    /// Checks whether the tree of a larger checkpoint, read from this board, begins with the tree of a smaller checkpoint. If it does not,
    /// the call writes the evidence durably to disk before it returns.
    /// </summary>
    /// <param name="older">A checkpoint of the log.</param>
    /// <param name="newer">Another checkpoint of the log, which is not smaller.</param>
    /// <param name="evidence">Folder in which the call creates the folder of evidence.</param>
    /// <param name="source">Where the newer checkpoint is from, in words for people.</param>
    /// <param name="time">Clock, whose time names the folder of evidence.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    public async Task<BoardRelation> RelateAsync(
        VerifiedNote older, VerifiedNote newer, string evidence, string source, TimeProvider time, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(older);
        ArgumentNullException.ThrowIfNull(newer);
        ArgumentOutOfRangeException.ThrowIfLessThan(newer.Size, older.Size, nameof(newer));
        HeadComparison comparison = await HeadComparison.RunAsync(
            older.Size, older.Root, newer, new HashReader(_tiles, newer.Size, TreeHash.FromBytes(newer.Root)), cancellationToken)
            .ConfigureAwait(false);
        if (comparison.Relation == HeadRelation.Agrees)
        {
            return new BoardRelation(IsConsistent: true, null);
        }
        var kept = new HeadState { Size = older.Size, Root = older.Root, Checkpoint = older.Octets, Record = [] };
        string path = EvidenceFolder.Write(
            evidence, ForkEvidence.Name(time),
            ForkEvidence.Collect(_anchor, kept, new Contradiction(newer.Octets, comparison.Prefix, default, default), source));
        return new BoardRelation(IsConsistent: false, path);
    }

    private static DateTimeOffset Time(ReadOnlyMemory<byte> record) =>
        record.IsEmpty ? DateTimeOffset.UnixEpoch : UnixTime.FromMilliseconds(EpochRecord.Decode(record.Span).TimeMs);
}
