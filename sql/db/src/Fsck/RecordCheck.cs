using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Tlog;

namespace Optiks.Db.Fsck;

/// <summary>
/// Follows the chain of records: checks each record, its link to the previous record, and its checkpoint against the log of all records so
/// far.
/// </summary>
internal sealed class RecordCheck(TrustAnchor anchor, HeadRow head, IReadOnlyList<PeriodRow> periods, FsckReport report)
{
    private readonly RecordChain _chain = new(anchor, withRoots: true);

    /// <summary>The log's root at the size <see cref="RootAtSize"/>; null if there are not enough records.</summary>
    public TreeHash? RootAt { get; private set; }

    /// <summary>The size of the log for which <see cref="RootAt"/> is computed, which is the size of the board's checkpoint.</summary>
    public ulong RootAtSize { get; set; }

    /// <summary>Checks the next epoch's row. Returns the row's decoded record, or null if the record cannot be decoded.</summary>
    public EpochRecord? Next(EpochRow row)
    {
        if (row.Epoch != _chain.Next)
        {
            report.Found($"Epochs {_chain.Next} to {row.Epoch - 1} are missing.");
            _chain.SkipTo(row.Epoch);
        }
        if (row.Epoch > (head.Epoch ?? 0) || head.Epoch is null)
        {
            report.Found(
                $"Epoch {row.Epoch} is stored, but the head is at {head.Epoch?.ToString(System.Globalization.CultureInfo.InvariantCulture) ?? "none"}.");
        }
        Refused? refused = _chain.Check(row);
        if (refused is not null)
        {
            report.Found($"{refused.Why}");
        }
        if (row.Record.Length != EpochRecord.Length)
        {
            _chain.SkipTo(row.Epoch + 1);
            return null;
        }
        VerifiedEpoch epoch = _chain.AsLast(row);
        EpochRecord record = epoch.Record;
        if (refused is null && !periods.Any(period => period.Period == record.Period && period.FirstEpoch == record.PeriodFirstEpoch))
        {
            report.Found($"Epoch {row.Epoch} is in period {record.Period} from epoch {record.PeriodFirstEpoch}, which has no row.");
        }
        if (_chain.HasRoots)
        {
            RootAt = epoch.Epoch + 1 == RootAtSize ? epoch.Root() : RootAt;
            CheckCheckpoint(epoch);
        }
        _chain.Append(row);
        return record;
    }

    /// <summary>Compares the last epoch's record with the head row. The parameter <paramref name="last"/> is null if the log has no
    /// epochs.</summary>
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
            report.Found(
                $"The head is at epoch {epoch}, but the published epoch is {head.PublishedEpoch}: at most one epoch may be unpublished.");
        }
        if (last is null || last.Epoch < epoch)
        {
            report.Found($"The head is at epoch {epoch}, but the last stored one is {last?.Epoch}.");
        }
        else if (last.Epoch == epoch && !last.RecordHash.Span.SequenceEqual(head.RecordHash.Span))
        {
            report.Found($"The head's record hash is not that of epoch {epoch}.");
        }
        CheckPeriods();
    }

    private void CheckCheckpoint(VerifiedEpoch epoch)
    {
        if (!epoch.Row.Checkpoint.IsEmpty)
        {
            if (_chain.CheckCheckpoint(epoch) is { } refused)
            {
                report.Found($"{refused.Why}");
            }
        }
        else if (epoch.Epoch <= head.PublishedEpoch)
        {
            report.Found($"Epoch {epoch.Epoch} is published without a checkpoint.");
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
        }
        if (PeriodRows.Contradiction(periods) is { } contradiction)
        {
            report.Found($"{contradiction}");
        }
    }
}
