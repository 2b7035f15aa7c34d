using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Storage.Replay;

/// <summary>
/// Checks each record by itself and against the one before, and, if it has roots, checkpoints against all records so far; the board's files play no part. It holds two
/// records and a logarithmic number of hashes. Not thread-safe.
/// </summary>
public sealed class RecordChain
{
    private readonly TrustAnchor _anchor;
    private CompactRange? _log;
    private ReadOnlyMemory<byte> _last;

    // Of the period of the last record: that it is old enough to end is seen from its time. Empty: not known.
    private ReadOnlyMemory<byte> _firstOfPeriod;

    /// <summary>RecordChain that begins with epoch 0 of the anchor's log.</summary>
    public RecordChain(TrustAnchor anchor, bool withRoots)
    {
        ArgumentNullException.ThrowIfNull(anchor);
        _anchor = anchor;
        _log = withRoots ? new CompactRange() : null;
    }

    /// <summary>Next epoch.</summary>
    public ulong Next { get; private set; }

    /// <summary>HasRoots: the records so far have a root. False for a chain without, and once an epoch was skipped.</summary>
    public bool HasRoots => _log is not null;

    /// <summary>What a chain says whose next epoch is not there.</summary>
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
            return new Refused($"The record of epoch {row.Epoch} has {record.Length} octets instead of {EpochRecord.Length}.");
        }
        Reason reason = Verifier.Record(_anchor, record, _last.Span, _firstOfPeriod.Span);
        ulong epoch = EpochRecord.EpochOf(record);
        bool hasHash = EpochRecord.Hash(record).AsSpan().SequenceEqual(row.RecordHash.Span);
        return reason == Reason.Valid && epoch == row.Epoch && hasHash ? null
            : !EpochRecord.Decode(record).LogId.Span.SequenceEqual(_anchor.LogId.Span) ? new Refused($"The record of epoch {row.Epoch} is of another log than the trust anchor's.")
            : epoch != row.Epoch ? new Refused($"The row of epoch {row.Epoch} holds the record of epoch {epoch}.")
            : !hasHash ? new Refused($"The record hash of epoch {row.Epoch} is not that of its record.")
            : new Refused($"The record of epoch {row.Epoch} is not valid or does not follow the one before ({reason.Name()}).");
    }

    /// <summary>Gives the next epoch, whose record has the right length, as the last of the log. Changes nothing.</summary>
    public VerifiedEpoch AsLast(EpochRow row)
    {
        ArgumentNullException.ThrowIfNull(row);
        // The left siblings of a tree's last leaf are the peaks of the tree without it, the smallest nearest to the leaf.
        return new VerifiedEpoch(row, _log?.Peaks.Reverse().ToArray());
    }

    /// <summary>Compares an epoch's checkpoint with the log that ends with the epoch, which has a root.</summary>
    public Refused? CheckCheckpoint(VerifiedEpoch epoch)
    {
        ArgumentNullException.ThrowIfNull(epoch);
        Reason reason = Verifier.Checkpoint(_anchor, epoch.Row.Checkpoint.Span, out ulong size, out byte[] root);
        return reason != Reason.Valid ? new Refused($"The checkpoint of epoch {epoch.Epoch} is not valid ({reason.Name()}).")
            : size != epoch.Epoch + 1 || !root.AsSpan().SequenceEqual(epoch.Root().AsSpan()) ? new Refused($"The checkpoint of epoch {epoch.Epoch} is not that of the records up to it.")
            : null;
    }

    /// <summary>Goes on to the epoch after this one, which is the next.</summary>
    public void Append(EpochRow row)
    {
        ArgumentNullException.ThrowIfNull(row);
        ArgumentOutOfRangeException.ThrowIfNotEqual(row.Epoch, Next, nameof(row));
        _log?.Append(Rfc6962.LeafHash(row.Record.Span));
        _last = row.Record;
        _firstOfPeriod = EpochRecord.BeginsPeriod(row.Record.Span) ? row.Record : _firstOfPeriod;
        Next++;
    }

    /// <summary>Goes on at a later epoch, for whoever looks at what is left of a log: its record has none before it, and there are no roots any more.</summary>
    public void SkipTo(ulong epoch)
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(epoch, Next);
        _log = null;
        _last = default;
        _firstOfPeriod = default;
        Next = epoch;
    }
}
