using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Tlog;

namespace Optiks.Db.Fsck;

/// <summary>RecordCheck follows the chain of records: each by itself, against the one before, and its checkpoint against the log of all records so far.</summary>
internal sealed class RecordCheck(TrustAnchor anchor, Head head, IReadOnlyList<PeriodRow> periods, Report report)
{
    private readonly CompactRange _log = new();
    private readonly byte[] _logId = anchor.LogId.ToArray();
    private ReadOnlyMemory<byte> _previous;
    private ulong _next;

    /// <summary>RootAt is the log's root of the size that was asked for.</summary>
    public TreeHash? RootAt { get; private set; }

    /// <summary>RootAtSize is the size of the board's checkpoint.</summary>
    public ulong RootAtSize { get; set; }

    /// <summary>Next takes the next row in order. Gives its record; null when it cannot be read.</summary>
    public EpochRecord? Next(EpochRow row)
    {
        if (row.Epoch != _next)
        {
            report.Found($"Epochs {_next} to {row.Epoch - 1} are missing.");
            // A log with a gap has no root, and the next record nothing to follow.
            _previous = default;
        }
        bool follows = row.Epoch == _next;
        _next = row.Epoch + 1;
        if (row.Epoch > (head.Epoch ?? 0) || head.Epoch is null)
        {
            report.Found($"Epoch {row.Epoch} is stored, but the head is at {head.Epoch?.ToString(System.Globalization.CultureInfo.InvariantCulture) ?? "none"}.");
        }
        if (row.Record.Length != EpochRecord.Length)
        {
            report.Found($"The record of epoch {row.Epoch} has {row.Record.Length} octets instead of {EpochRecord.Length}.");
            _previous = default;
            return null;
        }
        var record = EpochRecord.Decode(row.Record.Span);
        CheckRecord(row, record);
        _previous = row.Record;
        if (follows && _log.Size == row.Epoch)
        {
            _log.Append(Rfc6962.LeafHash(row.Record.Span));
            if (_log.Size == RootAtSize)
            {
                RootAt = _log.Root();
            }
            CheckCheckpoint(row);
        }
        return record;
    }

    /// <summary>End compares the last record with the head. <paramref name="last"/> is null when there is no epoch.</summary>
    public void End(EpochRow? last)
    {
        if (head.Epoch is not ulong epoch)
        {
            if (periods.Count > 0)
            {
                report.Found($"The database has no epoch, but {periods.Count} period(s).");
            }
            return;
        }
        if (head.PublishedEpoch is ulong published ? published != epoch && published + 1 != epoch : epoch != 0)
        {
            report.Found($"The head is at epoch {epoch}, but the published epoch is {head.PublishedEpoch}: at most one epoch may be unpublished.");
        }
        if (last is null || last.Epoch < epoch)
        {
            report.Found($"The head is at epoch {epoch}, but the last stored one is {last?.Epoch}.");
        }
        else if (last.Epoch == epoch && !last.RecordHash.Span.SequenceEqual(head.RecordHash.Span))
        {
            report.Found($"The head names another record hash than epoch {epoch} has.");
        }
        CheckPeriods();
    }

    private void CheckRecord(EpochRow row, EpochRecord record)
    {
        if (record.Epoch != row.Epoch)
        {
            report.Found($"The row of epoch {row.Epoch} holds the record of epoch {record.Epoch}.");
        }
        if (!EpochRecord.Hash(row.Record.Span).AsSpan().SequenceEqual(row.RecordHash.Span))
        {
            report.Found($"The record hash of epoch {row.Epoch} is not that of its record.");
        }
        if (!record.LogId.Span.SequenceEqual(_logId))
        {
            report.Found($"The record of epoch {row.Epoch} is of another log than the trust anchor's.");
            return;
        }
        Reason reason = Verifier.Record(anchor, row.Record.Span, _previous.Span);
        if (reason != Reason.Valid)
        {
            report.Found($"The record of epoch {row.Epoch} is not valid or does not follow the one before ({reason.Name()}).");
        }
        if (!periods.Any(period => period.Period == record.Period && period.FirstEpoch == record.PeriodFirstEpoch))
        {
            report.Found($"Epoch {row.Epoch} is in period {record.Period} from epoch {record.PeriodFirstEpoch}, of which there is no row.");
        }
    }

    private void CheckCheckpoint(EpochRow row)
    {
        if (row.Checkpoint.IsEmpty)
        {
            if (row.Epoch <= head.PublishedEpoch)
            {
                report.Found($"Epoch {row.Epoch} is published without a checkpoint.");
            }
            return;
        }
        Reason reason = Verifier.Checkpoint(anchor, row.Checkpoint.Span, out ulong size, out byte[] root);
        if (reason != Reason.Valid)
        {
            report.Found($"The checkpoint of epoch {row.Epoch} is not valid ({reason.Name()}).");
        }
        else if (size != row.Epoch + 1 || !root.AsSpan().SequenceEqual(_log.Root().AsSpan()))
        {
            report.Found($"The checkpoint of epoch {row.Epoch} is not that of the records up to it.");
        }
    }

    private void CheckPeriods()
    {
        foreach (PeriodRow period in periods)
        {
            if (!period.Configuration.Span.SequenceEqual(anchor.ConfigurationOctets.Span))
            {
                report.Found($"Period {period.Period} has another configuration than the trust anchor.");
            }
            if (period.WrappedSecrets.IsEmpty)
            {
                report.Found($"Period {period.Period} has no secrets.");
            }
        }
    }
}
