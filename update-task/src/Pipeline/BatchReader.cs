using System.Diagnostics;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// BatchReader reads what the next epoch takes, and computes its labels, before that epoch is due: beside the commit of the epoch before, and whenever there is time. When it begins,
/// only what was accepted last is left to read. What is read ahead holds good once the epoch before is committed, as pending rows never change and only an epoch removes them;
/// otherwise it is dropped. One thread at a time.
/// </summary>
internal sealed class BatchReader : IAsyncDisposable
{
    // Enough to see a queue grow. The epoch waits while the database goes through them all: not at every epoch.
    private const long MaxCounted = 1_000_000;
    private static readonly TimeSpan s_countInterval = TimeSpan.FromSeconds(10);

    private readonly IPipelineStore _store;
    private readonly KeyDirectory _directory;
    private readonly EpochOptions _options;
    private readonly TaskMetrics _metrics;
    private CancellationTokenSource _drop = new();
    private Ahead? _ahead;
    private long? _counted;

    public BatchReader(IPipelineStore store, KeyDirectory directory, EpochOptions options, TaskMetrics metrics)
    {
        _store = store;
        _directory = directory;
        _options = options;
        _metrics = metrics;
    }

    /// <summary>ReadAsync gives the next batch: what was read ahead, and what was accepted since.</summary>
    public async Task<ReadBatch> ReadAsync(EpochTimes times, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        Ahead batch = _ahead ?? NewAhead(null);
        // First: what fails is not tried again as it is.
        _ahead = null;
        await batch.Reading;
        batch.Times.Add(times);
        PendingBatch pending;
        using (batch.Times.Measure(EpochStep.Read))
        {
            await _store.ReadPendingAsync(batch.Selection, cancellationToken);
            pending = batch.Selection.Complete();
            if (!pending.More)
            {
                _metrics.Pending(pending.Items);
            }
            else if (_counted is not { } counted || Stopwatch.GetElapsedTime(counted) >= s_countInterval)
            {
                _metrics.Pending(await _store.CountPendingAsync(MaxCounted, cancellationToken));
                _counted = Stopwatch.GetTimestamp();
            }
        }
        return new ReadBatch(pending, batch.Times, start);
    }

    /// <summary>StartAhead begins to read the batch after <paramref name="batch"/>, which is about to be committed, and to compute its labels.</summary>
    public void StartAhead(PendingBatch batch)
    {
        _ahead = NewAhead(batch);
        Start(_ahead);
    }

    /// <summary>
    /// GoOnAsync reads what was accepted since the last reading ahead, if that did not fail: the next <see cref="ReadAsync"/> tells. Cancelled, it returns, and the reading goes on
    /// until it is dropped.
    /// </summary>
    public async Task GoOnAsync(CancellationToken cancellationToken)
    {
        Ahead ahead = _ahead ??= NewAhead(null);
        await ahead.Reading.WaitAsync(cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (ahead.Reading.IsCompletedSuccessfully)
        {
            Start(ahead);
            await ahead.Reading.WaitAsync(cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>DropAsync forgets what was read ahead: the epoch before it was not committed.</summary>
    public async Task DropAsync()
    {
        if (_ahead is { } ahead)
        {
            _ahead = null;
            await _drop.CancelAsync();
            await ahead.Reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            _drop.Dispose();
            _drop = new CancellationTokenSource();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await DropAsync();
        _drop.Dispose();
    }

    private Ahead NewAhead(PendingBatch? underway) =>
        new(new PendingSelection(_options.MaxUpdatesPerEpoch, _options.MaxBytesPerEpoch, underway), new EpochTimes(_metrics));

    private void Start(Ahead ahead)
    {
        CancellationToken drop = _drop.Token;
        ahead.Reading = Task.Run(() => ReadOnAsync(ahead, drop), CancellationToken.None);
    }

    private async Task ReadOnAsync(Ahead ahead, CancellationToken drop)
    {
        using (ahead.Times.Measure(EpochStep.Read))
        {
            await _store.ReadPendingAsync(ahead.Selection, drop);
        }
        using (ahead.Times.Measure(EpochStep.Labels))
        {
            ExpectLabels(ahead.Selection.Taken[ahead.Expected..]);
            ahead.Expected = ahead.Selection.Taken.Length;
        }
    }

    private void ExpectLabels(ReadOnlySpan<PendingRequest> requests)
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
            foreach (AcceptItem item in request.Items)
            {
                structures[keys.Count] = item.Structure;
                keys.Add(item.Key.Span);
            }
        }
        if (items > 0)
        {
            _directory.Expect(structures, keys);
        }
    }

    /// <summary>Ahead is a batch that is being read.</summary>
    private sealed class Ahead(PendingSelection selection, EpochTimes times)
    {
        public PendingSelection Selection { get; } = selection;

        /// <summary>Times of its epoch so far.</summary>
        public EpochTimes Times { get; } = times;

        /// <summary>Reading is the last one: none begins before it has ended.</summary>
        public Task Reading { get; set; } = Task.CompletedTask;

        /// <summary>Expected is how many of the selection's requests have their labels.</summary>
        public int Expected { get; set; }
    }
}
