using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>Builds the Head of any epoch from a board, with the board's current checkpoint (docs/spec/board.md section 4).</summary>
internal static class BoardHead
{
    /// <summary>The greatest length of a Head in octets.</summary>
    public const int MaxLength = EpochRecord.Length + (2 * (sizeof(ushort) + Lengths.MaxLogProof)) + sizeof(ushort) + ushort.MaxValue;

    /// <summary>
    /// Returns the octets of the Head; null if the board does not have the epoch, or if the board's files do not make up a tree that the
    /// log signed. The call passes the reader's exceptions to the caller.
    /// </summary>
    public static async Task<byte[]?> FindAsync(TrustAnchor anchor, ITileReader board, ulong epoch, CancellationToken cancellationToken)
    {
        if (await board.ReadCheckpointAsync(cancellationToken).ConfigureAwait(false) is not { } octets
            || VerifiedNote.Verify(anchor, octets, out VerifiedNote? note) != Reason.Valid || note!.Size <= epoch)
        {
            return null;
        }
        try
        {
            var tree = new HashReader(board, note.Size, TreeHash.FromBytes(note.Root));
            ReadOnlyMemory<byte> record = await tree.ReadEntryAsync(epoch, cancellationToken).ConfigureAwait(false);
            IReadOnlyList<TreeHash> inclusion =
                await InclusionProof.MakeAsync(tree, epoch, note.Size, cancellationToken).ConfigureAwait(false);
            return record.Length != EpochRecord.Length
                ? null
                : new AnswerHead(record, inclusion.SelectMany(hash => hash.ToArray()).ToArray(), default,
                    VerifiedNote.Reduce(anchor, note.Octets)).Encode();
        }
        catch (InvalidTileException)
        {
            return null;
        }
    }
}
