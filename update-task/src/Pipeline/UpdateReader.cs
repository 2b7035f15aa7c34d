using System.Diagnostics;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Reads the updates of the next epoch in advance, and computes their labels. It reads while the previous epoch is committed, and whenever
/// there is time. When the next epoch begins, only the latest updates remain to be read. The updates read in advance stay valid if the
/// previous epoch is committed, because pending rows never change and only an epoch removes them. If the previous epoch is not committed,
/// the updates are dropped. Only one thread at a time may use it.
/// </summary>
internal sealed class UpdateReader : IAsyncDisposable
{
    // The metric of pending updates counts up to this number, which is enough to see a queue grow. The epoch waits while the database
    // counts, so the reader does not count in every epoch.
    private const long MaxCounted = 1_000_000;
    private static readonly TimeSpan s_countInterval = TimeSpan.FromSeconds(10);

    private readonly PipelineStore _store;
    private readonly LogSession _session;
    private readonly EpochOptions _options;
    private readonly TaskMetrics _metrics;
    private CancellationTokenSource _drop = new();
    private Upcoming? _next;
    private long? _counted;

    public UpdateReader(PipelineStore store, LogSession session, EpochOptions options, TaskMetrics metrics)
    {
        _store = store;
        _session = session;
        _options = options;
        _metrics = metrics;
    }

    /// <summary>Returns the next epoch's updates: those read in advance, and those accepted since the last reading.</summary>
    public async Task<ReadUpdates> ReadAsync(EpochTimes times, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        Upcoming next = _next ?? UpcomingAfter(null);
        // The field is cleared before the reading is awaited, so that a failed reading is not used again.
        _next = null;
        await next.Reading;
        next.Times.Add(times);
        EpochUpdates updates;
        using (next.Times.Measure(EpochStep.Read))
        {
            await _store.ReadPendingAsync(next.Selection, cancellationToken);
            updates = next.Selection.Complete();
            if (!updates.More)
            {
                _metrics.Pending(updates.Items);
            }
            else if (_counted is not { } counted || Stopwatch.GetElapsedTime(counted) >= s_countInterval)
            {
                _metrics.Pending(await _store.CountPendingAsync(MaxCounted, cancellationToken));
                _counted = Stopwatch.GetTimestamp();
            }
        }
        return new ReadUpdates(updates, next.Times, start);
    }

    /// <summary>
    /// Begins to read the updates of the following epoch and to compute their labels. The parameter <paramref name="underway"/> holds the
    /// updates of the epoch that is about to be committed; these are not read again.
    /// </summary>
    public void StartNext(EpochUpdates underway)
    {
        _next = UpcomingAfter(underway);
        Start(_next);
    }

    /// <summary>
    /// Reads in advance the updates that were accepted since the last reading. If the last reading failed, does nothing; the next call of
    /// <see cref="ReadAsync"/> throws that reading's error. If the token is cancelled, the call returns, but the reading continues until
    /// <see cref="DropAsync"/> ends it.
    /// </summary>
    public async Task ContinueAsync(CancellationToken cancellationToken)
    {
        Upcoming next = _next ??= UpcomingAfter(null);
        await next.Reading.WaitAsync(cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (next.Reading.IsCompletedSuccessfully)
        {
            Start(next);
            await next.Reading.WaitAsync(cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>
    /// Drops the updates read in advance. The caller does this if the previous epoch was not committed, or if the next period's trees are
    /// about to replace the current trees.
    /// </summary>
    public async Task DropAsync()
    {
        if (_next is { } next)
        {
            _next = null;
            await _drop.CancelAsync();
            await next.Reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            _drop.Dispose();
            _drop = new CancellationTokenSource();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await DropAsync();
        _drop.Dispose();
    }

    private Upcoming UpcomingAfter(EpochUpdates? underway) =>
        new(new PendingSelection(_options.MaxUpdatesPerEpoch, _options.MaxBytesPerEpoch, underway), new EpochTimes(_metrics));

    private void Start(Upcoming next)
    {
        CancellationToken drop = _drop.Token;
        next.Reading = Task.Run(() => ReadMoreAsync(next, drop), CancellationToken.None);
    }

    private async Task ReadMoreAsync(Upcoming next, CancellationToken drop)
    {
        using (next.Times.Measure(EpochStep.Read))
        {
            await _store.ReadPendingAsync(next.Selection, drop);
        }
        using (next.Times.Measure(EpochStep.Labels))
        {
            ComputeLabels(next.Selection.Taken[next.Labelled..]);
            next.Labelled = next.Selection.Taken.Length;
        }
    }

    private void ComputeLabels(ReadOnlySpan<PendingRequest> requests)
    {
        int items = 0;
        foreach (PendingRequest request in requests)
        {
            items += request.Items.Count;
        }
        var structures = new StructureId[items];
        using var keys = new ByteStrings(items, 32 * items);
        foreach (PendingRequest request in requests)
        {
            if (request.Kind == RequestKind.Erasure)
            {
                continue;
            }
            bool hasUnchangedList = UserChange.Parse(request) is { ChangesList: false };
            for (int item = hasUnchangedList ? UserChange.ItemIndex + 1 : 0; item < request.Items.Count; item++)
            {
                structures[keys.Count] = request.Items[item].Structure;
                keys.Add(request.Items[item].Key.Span);
            }
        }
        if (keys.Count > 0)
        {
            _session.Directory.PrecomputeLabels(structures.AsSpan(0, keys.Count), keys);
        }
    }

    /// <summary>Holds the updates that were read for an epoch that has not begun yet.</summary>
    private sealed class Upcoming(PendingSelection selection, EpochTimes times)
    {
        public PendingSelection Selection { get; } = selection;

        /// <summary>The times that the epoch's steps have taken so far.</summary>
        public EpochTimes Times { get; } = times;

        /// <summary>The task of the last reading. The next reading begins only after this task has ended.</summary>
        public Task Reading { get; set; } = Task.CompletedTask;

        /// <summary>The number of requests whose labels are already computed, counted from the selection's first request.</summary>
        public int Labelled { get; set; }
    }
}
