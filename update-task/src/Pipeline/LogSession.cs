using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Storage.Replay;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Periods;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>Holds the log's state in memory during one lease: trees, last record, board. One thread at a time.</summary>
internal sealed class LogSession : IAsyncDisposable
{
    private readonly List<Task> _ended = [];

    public required LogIdentity Identity { get; init; }

    /// <summary>
    /// The replay with the trees of the current period and, during its preparation, of the next period. The session's epochs extend the
    /// replay.
    /// </summary>
    public required LogReplay Replay { get; init; }

    /// <summary>The directory of the current period.</summary>
    public KeyDirectory Directory => Replay.Trees.Directory;

    /// <summary>
    /// Makes the saver of a period's trees. The arguments are the period and the epoch that is saved already. Returns null if another
    /// process has the folder.
    /// </summary>
    public required Func<ulong, ulong?, SnapshotSaver?> MakeSaver { get; init; }

    /// <summary>The saver of the trees; null if another process has the folder.</summary>
    public required SnapshotSaver? Saver { get; set; }

    /// <summary>The folder with the directory's files.</summary>
    public required TaskFolder? Folder { get; init; }

    public required BoardWriter Board { get; init; }

    public required BoardState State { get; init; }

    /// <summary>The current period.</summary>
    public required PeriodRow Period { get; set; }

    /// <summary>The period's first epoch.</summary>
    public required EpochRow PeriodStart { get; set; }

    /// <summary>The schedule of periods.</summary>
    public required PeriodSchedule Schedule { get; init; }

    /// <summary>The last committed epoch, which is also the directory's epoch.</summary>
    public EpochRow Last => Replay.Last.Row;

    /// <summary>The number of leaves that the last epoch added; 0 after a start.</summary>
    public int LastLeaves { get; private set; }

    /// <summary>The last epoch if it is not published yet; otherwise null.</summary>
    public required CommittedEpoch? Unfinished { get; set; }

    public ulong LastTimeMs => Replay.Last.Record.TimeMs;

    public ulong PeriodStartMs => EpochRecord.Decode(PeriodStart.Record.Span).TimeMs;

    /// <summary>
    /// Makes an epoch the session's last epoch, after its trees were committed. If the epoch begins a period, makes that period current.
    /// </summary>
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

    // Waits for a snapshot that is being saved, and does not interrupt it. The file of an ended period's snapshot is deleted afterwards.
    private static Task EndAsync(SnapshotSaver? saver) => saver?.FinishAsync(null, CancellationToken.None) ?? Task.CompletedTask;

    /// <summary>Lets the saver take the trees of the last epoch, if the epoch was published and a snapshot is due.</summary>
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

    /// <summary>Waits for a snapshot that is being saved, and saves the last epoch if it was published.</summary>
    public async Task FinishAsync(CancellationToken cancellationToken)
    {
        await Task.WhenAll(_ended).WaitAsync(cancellationToken);
        if (Saver is not null)
        {
            using DirectoryView? last = Unfinished is null ? Directory.TakeView() : null;
            await Saver.FinishAsync(last, cancellationToken);
        }
    }

    /// <summary>
    /// Ends the session, after waiting for a snapshot that is being saved. The save reads the leaf log, which the next session, in this
    /// process or another, may truncate.
    /// </summary>
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
