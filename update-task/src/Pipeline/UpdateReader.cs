using System.Diagnostics;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Reads the updates of the next epoch, and computes their labels, before that epoch is due. It reads during the commit of the epoch
/// before, and whenever there is time. When the epoch begins, only the latest updates are left to read. The updates read in advance are
/// valid once the epoch before is committed, because pending rows never change and only an epoch removes them. If that epoch is not
/// committed, the updates are dropped. One thread at a time.
/// </summary>
internal sealed class UpdateReader : IAsyncDisposable
{
    // The limit of a count of pending updates, which is enough to see a queue grow. The epoch waits while the database counts, so the
    // reader does not count at every epoch.
    private const long MaxCounted = 1_000_000;
    private static readonly TimeSpan s_countInterval = TimeSpan.FromSeconds(10);

    private readonly IPipelineStore _store;
    private readonly LogSession _session;
    private readonly EpochOptions _options;
    private readonly TaskMetrics _metrics;
    private CancellationTokenSource _drop = new();
    private Upcoming? _next;
    private long? _counted;

    public UpdateReader(IPipelineStore store, LogSession session, EpochOptions options, TaskMetrics metrics)
    {
        _store = store;
        _session = session;
        _options = options;
        _metrics = metrics;
    }

    /// <summary>Returns the next epoch's updates: the updates read in advance, and the updates accepted since.</summary>
    public async Task<ReadUpdates> ReadAsync(EpochTimes times, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        Upcoming next = _next ?? UpcomingAfter(null);
        // The field is cleared first, so that a failed reading is not reused.
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
    /// Begins to read the updates that follow <paramref name="underway"/>, which is about to be committed, and to compute their labels.
    /// </summary>
    public void StartNext(EpochUpdates underway)
    {
        _next = UpcomingAfter(underway);
        Start(_next);
    }

    /// <summary>
    /// Reads in advance the updates that were accepted since the last reading. If the last reading failed, does nothing: the next
    /// <see cref="ReadAsync"/> throws the reading's error. After a cancellation the call returns, but the reading continues until it is
    /// dropped.
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
    /// Drops the updates read in advance: the epoch before them was not committed, or other trees replace the current ones.
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

    /// <summary>Holds the updates of an epoch that has not begun.</summary>
    private sealed class Upcoming(PendingSelection selection, EpochTimes times)
    {
        public PendingSelection Selection { get; } = selection;

        /// <summary>The times of the epoch so far.</summary>
        public EpochTimes Times { get; } = times;

        /// <summary>The last reading; the next reading begins only after the last one has ended.</summary>
        public Task Reading { get; set; } = Task.CompletedTask;

        /// <summary>The number of the selection's requests whose labels are computed.</summary>
        public int Labelled { get; set; }
    }
}
