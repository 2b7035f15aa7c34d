using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>
/// RecordChain checks each record against the one before and each checkpoint against all records, computed here from the records themselves: the board's files play no part. Holds
/// one record and a logarithmic number of hashes. Not thread-safe.
/// </summary>
internal sealed class RecordChain
{
    private readonly TrustAnchor _anchor;
    private readonly CheckpointVerifier _checkpoints;
    private readonly CompactRange _tree = new();
    private ReadOnlyMemory<byte> _last;

    public RecordChain(TrustAnchor anchor)
    {
        _anchor = anchor;
        _checkpoints = new CheckpointVerifier(anchor.LogKey, [], Ed25519.Verifier);
    }

    /// <summary>Next epoch to append.</summary>
    public ulong Next => _tree.Size;

    /// <summary>CheckRecord checks the next epoch's record. Throws <see cref="EpochRefusedException"/>; changes nothing.</summary>
    public EpochRecord CheckRecord(EpochRow row)
    {
        if (row.Epoch != Next)
        {
            throw new EpochRefusedException($"Epoch {Next} is missing from the database.");
        }
        if (row.Record.Length != EpochRecord.Length)
        {
            throw new EpochRefusedException($"The record of epoch {row.Epoch} has another length than a record.");
        }
        if (!EpochRecord.Hash(row.Record.Span).AsSpan().SequenceEqual(row.RecordHash.Span))
        {
            throw new EpochRefusedException($"The record of epoch {row.Epoch} does not have the hash that is stored with it.");
        }
        var record = EpochRecord.Decode(row.Record.Span);
        if (record.Epoch != row.Epoch)
        {
            throw new EpochRefusedException($"The record of epoch {row.Epoch} is that of epoch {record.Epoch}.");
        }
        Reason reason = Verifier.Record(_anchor, row.Record.Span, _last.Span);
        return reason == Reason.Valid ? record : throw new EpochRefusedException($"The record of epoch {row.Epoch} is refused ({reason.Name()}).");
    }

    /// <summary>Check checks the next epoch's record and its checkpoint. Throws <see cref="EpochRefusedException"/>; changes nothing.</summary>
    public VerifiedEpoch Check(EpochRow row)
    {
        EpochRecord record = CheckRecord(row);
        if (!_checkpoints.TryOpen(row.Checkpoint.Span, out SignedCheckpoint? opened, out TlogError error))
        {
            throw new EpochRefusedException($"The checkpoint of epoch {row.Epoch} is refused ({error}).");
        }
        ulong size = row.Epoch + 1;
        if (opened.Checkpoint.Size != size)
        {
            throw new EpochRefusedException($"The checkpoint of epoch {row.Epoch} has size {opened.Checkpoint.Size} instead of {size}.");
        }
        // The left siblings of a tree's last leaf are the peaks of the tree without it, the smallest nearest to the leaf.
        TreeHash[] inclusion = [.. _tree.Peaks.Reverse()];
        error = InclusionProof.Verify(Rfc6962.LeafHash(row.Record.Span), row.Epoch, size, opened.Checkpoint.Root, inclusion);
        return error == TlogError.None
            ? new VerifiedEpoch(row, record, opened.Checkpoint.Root, inclusion)
            : throw new EpochRefusedException($"The checkpoint of epoch {row.Epoch} does not cover its record and those before ({error}).");
    }

    /// <summary>Append goes on to the next epoch; its record was checked.</summary>
    public void Append(EpochRow row)
    {
        _tree.Append(Rfc6962.LeafHash(row.Record.Span));
        _last = row.Record;
    }
}
