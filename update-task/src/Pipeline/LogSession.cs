using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Storage.Replay;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Periods;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>LogSession is the log in memory during one lease: trees, last record, board. One thread at a time.</summary>
internal sealed class LogSession : IAsyncDisposable
{
    private readonly List<Task> _ended = [];

    public required LogIdentity Identity { get; init; }

    /// <summary>Replay has the trees of the current period and, while it is made, of the next one. The session's epochs go on in it.</summary>
    public required LogReplay Replay { get; init; }

    /// <summary>Directory of the current period.</summary>
    public KeyDirectory Directory => Replay.Trees.Directory;

    /// <summary>MakeSaver makes the saver of a period's trees, with the epoch that is saved already; null when another process has the folder.</summary>
    public required Func<ulong, ulong?, SnapshotSaver?> MakeSaver { get; init; }

    /// <summary>Saver of the trees; null when another process has the folder.</summary>
    public required SnapshotSaver? Saver { get; set; }

    /// <summary>Folder that the directory's files are in.</summary>
    public required TaskFolder? Folder { get; init; }

    public required BoardWriter Board { get; init; }

    public required BoardState State { get; init; }

    /// <summary>Period that is current.</summary>
    public required PeriodRow Period { get; set; }

    /// <summary>PeriodStart is the period's first epoch.</summary>
    public required EpochRow PeriodStart { get; set; }

    /// <summary>Schedule of periods.</summary>
    public required PeriodSchedule Schedule { get; init; }

    /// <summary>Last committed epoch; the directory is at it.</summary>
    public EpochRow Last => Replay.Last.Row;

    /// <summary>LastLeaves is how many leaves the last epoch added; 0 after a start.</summary>
    public int LastLeaves { get; private set; }

    /// <summary>Unfinished is the last epoch while it is not published.</summary>
    public required CommittedEpoch? Unfinished { get; set; }

    public ulong LastTimeMs => Replay.Last.Record.TimeMs;

    public ulong PeriodStartMs => EpochRecord.Decode(PeriodStart.Record.Span).TimeMs;

    /// <summary>Advance makes an epoch the last whose trees its maker has committed; with it the period that it begins.</summary>
    public void Advance(EpochCommit commit)
    {
        PeriodRow? begun = commit.Switch is null ? null : Replay.NextPeriod! with { State = PeriodState.Current, FirstEpoch = commit.Epoch.Epoch, Copies = commit.Switch.Copies };
        Replay.Advance(commit.Epoch, commit.Leaves.Rows.Span, commit.Leaves.Values.Span);
        LastLeaves = commit.Leaves.Rows.Length;
        if (begun is not null)
        {
            Period = begun;
            PeriodStart = commit.Epoch;
            _ended.Add(EndAsync(Saver));
            Saver = MakeSaver(begun.Period, null);
        }
    }

    // A snapshot of the ended period that is being saved is not interrupted: the file is deleted after it.
    private static Task EndAsync(SnapshotSaver? saver) => saver?.FinishAsync(null, CancellationToken.None) ?? Task.CompletedTask;

    /// <summary>OfferSnapshot lets the saver take the trees of the last epoch, if it was published and the time has come.</summary>
    public void OfferSnapshot()
    {
        if (_ended.Count > 0 && _ended.TrueForAll(saved => saved.IsCompleted))
        {
            _ended.Clear();
            Folder?.DeleteBefore(Period.Period);
        }
        if (Saver is not null && Unfinished is null)
        {
            using DirectoryView last = Directory.TakeView();
            Saver.Offer(last);
        }
    }

    /// <summary>FinishAsync waits for a snapshot that is being saved, and saves the last epoch if it was published.</summary>
    public async Task FinishAsync(CancellationToken cancellationToken)
    {
        await Task.WhenAll(_ended).WaitAsync(cancellationToken);
        if (Saver is not null)
        {
            using DirectoryView? last = Unfinished is null ? Directory.TakeView() : null;
            await Saver.FinishAsync(last, cancellationToken);
        }
    }

    /// <summary>DisposeAsync first waits for a snapshot that is being saved. It reads the leaf log, which the next session of this process, or of another one that gets the folder, may begin anew or cut.</summary>
    public async ValueTask DisposeAsync()
    {
        try
        {
            await Task.WhenAll([.. _ended, EndAsync(Saver)]);
        }
        finally
        {
            Replay.Dispose();
            Folder?.Dispose();
            Identity.Dispose();
        }
    }
}
