using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>LogSession is the log in memory during one lease: trees, last record, board. One thread at a time.</summary>
internal sealed class LogSession : IDisposable
{
    public required LogIdentity Identity { get; init; }

    public required KeyDirectory Directory { get; init; }

    /// <summary>Saver of the trees; null when another process has the folder.</summary>
    public required SnapshotSaver? Saver { get; init; }

    /// <summary>Folder that the directory's files are in.</summary>
    public required TaskFolder? Folder { get; init; }

    public required BoardWriter Board { get; init; }

    public required BoardState State { get; init; }

    public required PeriodRow Period { get; init; }

    /// <summary>Last committed epoch; the directory is at it.</summary>
    public required EpochRow Last { get; set; }

    /// <summary>Unfinished is the last epoch while it is not published.</summary>
    public required CommittedEpoch? Unfinished { get; set; }

    public ulong LastTimeMs => EpochRecord.Decode(Last.Record.Span).TimeMs;

    /// <summary>OfferSnapshot lets the saver take the trees of the last epoch, if it was published and the time has come.</summary>
    public void OfferSnapshot()
    {
        if (Saver is not null && Unfinished is null)
        {
            using DirectoryView last = Directory.TakeView();
            Saver.Offer(last);
        }
    }

    /// <summary>FinishAsync waits for a snapshot that is being saved, and saves the last epoch if it was published.</summary>
    public async Task FinishAsync(CancellationToken cancellationToken)
    {
        if (Saver is not null)
        {
            using DirectoryView? last = Unfinished is null ? Directory.TakeView() : null;
            await Saver.FinishAsync(last, cancellationToken);
        }
    }

    public void Dispose()
    {
        Directory.Dispose();
        Folder?.Dispose();
        Identity.Dispose();
    }
}
