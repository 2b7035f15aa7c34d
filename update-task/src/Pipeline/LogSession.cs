using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Periods;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Holds the log's state in memory during one lease: the trees, the last record, and the board. Only one thread at a time may use it.
/// </summary>
internal sealed class LogSession : IAsyncDisposable
{
    private readonly List<Task> _ended = [];

    public required LogIdentity Identity { get; init; }

    /// <summary>
    /// The replay, which holds the trees of the current period. While the next period is prepared, it holds that period's trees too. Each
    /// new epoch of the session extends the replay.
    /// </summary>
    public required LogReplay Replay { get; init; }

    /// <summary>The directory of the current period.</summary>
    public KeyDirectory Directory => Replay.Trees.Directory;

    /// <summary>
    /// A function that makes the saver of a period's trees. Its arguments are the period and the epoch whose trees are saved already. It
    /// returns null if another process holds the task's folder.
    /// </summary>
    public required Func<ulong, ulong?, SnapshotSaver?> MakeSaver { get; init; }

    /// <summary>The saver of the current period's trees; null if another process holds the task's folder.</summary>
    public required SnapshotSaver? Saver { get; set; }

    /// <summary>The task's folder with the files of the trees; null if another process holds it.</summary>
    public required TaskFolder? Folder { get; init; }

    public required BoardWriter Board { get; init; }

    public required BoardState State { get; init; }

    /// <summary>The current period.</summary>
    public required PeriodRow Period { get; set; }

    /// <summary>The current period's first epoch.</summary>
    public required EpochRow PeriodStart { get; set; }

    /// <summary>The schedule that says when the next period begins.</summary>
    public required PeriodSchedule Schedule { get; init; }

    /// <summary>The last committed epoch. The directory contains the trees of this epoch.</summary>
    public EpochRow Last => Replay.Last.Row;

    /// <summary>The number of leaves that the last epoch added; 0 after a start.</summary>
    public int LastLeaves { get; private set; }

    /// <summary>The last committed epoch, while it is not published yet; otherwise null.</summary>
    public required CommittedEpoch? Unfinished { get; set; }

    public ulong LastTimeMs => Replay.Last.Record.TimeMs;

    public ulong PeriodStartMs => EpochRecord.Decode(PeriodStart.Record.Span).TimeMs;

    /// <summary>
    /// Makes a new epoch the session's last epoch. The caller must have committed the epoch's trees. If the epoch begins a period, that
    /// period becomes the current period.
    /// </summary>
    public void Advance(EpochCommit commit)
    {
        PeriodRow? begun = commit.Switch is null
            ? null
            : Replay.NextPeriod! with { State = PeriodState.Current, FirstEpoch = commit.Epoch.Epoch, Copies = commit.Switch.Copies };
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

    // Waits until a snapshot that is being saved is complete, because the saving must not be interrupted. If the snapshot's period has
    // ended, its file is deleted afterwards.
    private static Task EndAsync(SnapshotSaver? saver) => saver?.FinishAsync(null, CancellationToken.None) ?? Task.CompletedTask;

    /// <summary>
    /// Gives the saver the trees of the last epoch, if that epoch is published. The saver saves them if a snapshot is due.
    /// </summary>
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

    /// <summary>Waits for a snapshot that is being saved. Then saves the trees of the last epoch, if that epoch is published.</summary>
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
    /// Ends the session, after waiting for a snapshot that is being saved. The wait is necessary because the saving reads the leaf log, and
    /// the next session may truncate that file.
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
