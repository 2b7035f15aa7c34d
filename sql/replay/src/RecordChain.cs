using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Storage.Replay;

/// <summary>
/// Checks each record, its link to the previous record and, if the chain has roots, checkpoints against all records so far. This class does
/// not use the board's files. It holds two records and a logarithmic number of hashes. Not thread-safe.
/// </summary>
public sealed class RecordChain
{
    private readonly TrustAnchor _anchor;
    private CompactRange? _log;
    private ReadOnlyMemory<byte> _last;

    // The first record of the last record's period. Its time shows whether the period is old enough to end. Empty when that record is not
    // known.
    private ReadOnlyMemory<byte> _firstOfPeriod;

    /// <summary>Creates a chain that begins with epoch 0 of the anchor's log.</summary>
    public RecordChain(TrustAnchor anchor, bool withRoots)
    {
        ArgumentNullException.ThrowIfNull(anchor);
        _anchor = anchor;
        _log = withRoots ? new CompactRange() : null;
    }

    /// <summary>The number of the next epoch.</summary>
    public ulong Next { get; private set; }

    /// <summary>
    /// Whether the root over the records so far is known. False for a chain without roots, and after <see cref="SkipTo"/> skipped an epoch.
    /// </summary>
    public bool HasRoots => _log is not null;

    /// <summary>The refusal when the next epoch is missing.</summary>
    public Refused Missing => new($"Epoch {Next} is missing from the database.");

    /// <summary>Checks the next epoch's record. Changes nothing.</summary>
    public Refused? Check(EpochRow row)
    {
        ArgumentNullException.ThrowIfNull(row);
        ReadOnlySpan<byte> record = row.Record.Span;
        if (row.Epoch != Next)
        {
            return Missing;
        }
        if (record.Length != EpochRecord.Length)
        {
            return new Refused($"The record of epoch {row.Epoch} has {record.Length} bytes instead of {EpochRecord.Length}.");
        }
        Reason reason = Verifier.VerifyRecord(_anchor, record, _last.Span, _firstOfPeriod.Span);
        ulong epoch = EpochRecord.ReadEpoch(record);
        bool hasHash = EpochRecord.Hash(record).AsSpan().SequenceEqual(row.RecordHash.Span);
        return reason == Reason.Valid && epoch == row.Epoch && hasHash ? null
            : !EpochRecord.Decode(record).LogId.Span.SequenceEqual(_anchor.LogId.Span) ? new Refused($"The record of epoch {row.Epoch} belongs to another log than the trust anchor.")
            : epoch != row.Epoch ? new Refused($"The row of epoch {row.Epoch} holds the record of epoch {epoch}.")
            : !hasHash ? new Refused($"The record hash of epoch {row.Epoch} does not match its record.")
            : new Refused($"The record of epoch {row.Epoch} is not valid or does not follow the previous record ({reason.Name()}).");
    }

    /// <summary>Returns the next epoch as the last epoch of the log. Its record must have the right length. Changes nothing.</summary>
    public VerifiedEpoch AsLast(EpochRow row)
    {
        ArgumentNullException.ThrowIfNull(row);
        // The inclusion proof of a tree's last leaf consists of the peaks of the tree without that leaf. The smallest peak is nearest to
        // the leaf, so the order is reversed.
        return new VerifiedEpoch(row, _log?.Peaks.Reverse().ToArray());
    }

    /// <summary>Compares an epoch's checkpoint with the log that ends with that epoch, which must have a root.</summary>
    public Refused? CheckCheckpoint(VerifiedEpoch epoch)
    {
        ArgumentNullException.ThrowIfNull(epoch);
        Reason reason = Verifier.Checkpoint(_anchor, epoch.Row.Checkpoint.Span, out ulong size, out byte[] root);
        return reason != Reason.Valid ? new Refused($"The checkpoint of epoch {epoch.Epoch} is not valid ({reason.Name()}).")
            : size != epoch.Epoch + 1 || !root.AsSpan().SequenceEqual(epoch.Root().AsSpan()) ? new Refused($"The checkpoint of epoch {epoch.Epoch} does not match the records up to it.")
            : null;
    }

    /// <summary>Appends the next epoch.</summary>
    public void Append(EpochRow row)
    {
        ArgumentNullException.ThrowIfNull(row);
        ArgumentOutOfRangeException.ThrowIfNotEqual(row.Epoch, Next, nameof(row));
        _log?.Append(Rfc6962.LeafHash(row.Record.Span));
        _last = row.Record;
        _firstOfPeriod = EpochRecord.BeginsPeriod(row.Record.Span) ? row.Record : _firstOfPeriod;
        Next++;
    }

    /// <summary>
    /// Continues at a later epoch, for callers that examine the rest of a damaged log. The chain cannot check that epoch's link to the
    /// record before, and roots are unknown from then on.
    /// </summary>
    public void SkipTo(ulong epoch)
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(epoch, Next);
        _log = null;
        _last = default;
        _firstOfPeriod = default;
        Next = epoch;
    }
}
