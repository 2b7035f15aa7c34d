using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Storage;

/// <summary>
/// Checks each record and its link to the previous record. If the chain has roots, also checks checkpoints against all records so far. Does
/// not use the board's files. Keeps only two records, and a number of hashes that grows with the logarithm of the number of records. Not
/// thread-safe.
/// </summary>
public sealed class RecordChain
{
    private readonly TrustAnchor _anchor;
    private CompactRange? _log;
    private ReadOnlyMemory<byte> _last;

    // The first record of the period to which the last record belongs; empty if that first record is not known. Its time shows whether the
    // period is old enough to end.
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
    /// Whether the chain knows the root over all records so far. It does not know that root if it was created without roots, or after
    /// <see cref="SkipTo"/> skipped an epoch.
    /// </summary>
    public bool HasRoots => _log is not null;

    /// <summary>The refusal for the case that the database lacks the next epoch.</summary>
    public Refused Missing => new($"Epoch {Next} is missing from the database.");

    /// <summary>Checks the next epoch's record, without appending it.</summary>
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
        Reason reason = LogVerifier.VerifyRecord(_anchor, record, _last.Span, _firstOfPeriod.Span);
        ulong epoch = EpochRecord.ReadEpoch(record);
        bool hasHash = EpochRecord.Hash(record).AsSpan().SequenceEqual(row.RecordHash.Span);
        return reason == Reason.Valid && epoch == row.Epoch && hasHash ? null
            : !EpochRecord.Decode(record).LogId.Span.SequenceEqual(_anchor.LogId.Span)
                ? new Refused($"The record of epoch {row.Epoch} belongs to another log than the trust anchor.")
            : epoch != row.Epoch ? new Refused($"The row of epoch {row.Epoch} holds the record of epoch {epoch}.")
            : !hasHash ? new Refused($"The record hash of epoch {row.Epoch} does not match its record.")
            : new Refused($"The record of epoch {row.Epoch} is not valid or does not follow the previous record ({reason.Name()}).");
    }

    /// <summary>Returns the next epoch as it would be if it were the last epoch of the log, without appending it. Its record must have the
    /// right length.</summary>
    public VerifiedEpoch AsLast(EpochRow row)
    {
        ArgumentNullException.ThrowIfNull(row);
        // The inclusion proof of a tree's last leaf consists of the peaks of the tree without that leaf. A proof begins with the hash
        // nearest to the leaf, which is the smallest peak, so the order is reversed.
        return new VerifiedEpoch(row, _log?.Peaks.Reverse().ToArray());
    }

    /// <summary>Compares an epoch's checkpoint with the root of the log that ends with that epoch. The chain must have roots.</summary>
    public Refused? CheckCheckpoint(VerifiedEpoch epoch)
    {
        ArgumentNullException.ThrowIfNull(epoch);
        Reason reason = LogVerifier.Checkpoint(_anchor, epoch.Row.Checkpoint.Span, out ulong size, out byte[] root);
        return reason != Reason.Valid ? new Refused($"The checkpoint of epoch {epoch.Epoch} is not valid ({reason.Name()}).")
            : size != epoch.Epoch + 1 || !root.AsSpan().SequenceEqual(epoch.Root().AsSpan())
                ? new Refused($"The checkpoint of epoch {epoch.Epoch} does not match the records up to it.")
            : null;
    }

    /// <summary>Appends the next epoch's record to the chain.</summary>
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
    /// previous record, and knows no roots from then on.
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
