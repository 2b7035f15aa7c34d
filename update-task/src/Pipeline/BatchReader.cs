using System.Diagnostics;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// BatchReader reads what the next epoch takes: when it is wanted, or ahead, beside the commit of the epoch before. What is read ahead holds good once that epoch is committed, as
/// pending rows never change and only an epoch removes them; otherwise it is dropped. One thread at a time.
/// </summary>
internal sealed class BatchReader : IAsyncDisposable
{
    // Enough to see a queue grow, and few enough to count at every epoch.
    private const long MaxCounted = 1_000_000;

    private readonly IPipelineStore _store;
    private readonly KeyDirectory _directory;
    private readonly EpochOptions _options;
    private readonly TaskMetrics _metrics;
    private CancellationTokenSource _drop = new();
    private Task<ReadBatch>? _ahead;

    public BatchReader(IPipelineStore store, KeyDirectory directory, EpochOptions options, TaskMetrics metrics)
    {
        _store = store;
        _directory = directory;
        _options = options;
        _metrics = metrics;
    }

    /// <summary>IsAhead tells whether the next batch is read already, or being read.</summary>
    public bool IsAhead => _ahead is not null;

    /// <summary>ReadAsync gives the next batch: what was read ahead, if anything was.</summary>
    public async Task<ReadBatch> ReadAsync(EpochTimes times, CancellationToken cancellationToken)
    {
        if (_ahead is { } ahead)
        {
            // First: what fails is not tried again as it is.
            _ahead = null;
            ReadBatch read = await ahead;
            if (read.Pending.Items > 0)
            {
                read.Times.Add(times);
                return read;
            }
        }
        return await ReadAsync(times, [], cancellationToken);
    }

    /// <summary>StartAhead begins to read the batch after <paramref name="batch"/>, which is about to be committed, and to compute its labels.</summary>
    public void StartAhead(PendingBatch batch)
    {
        long[] underway = new long[batch.Requests.Count];
        for (int i = 0; i < underway.Length; i++)
        {
            underway[i] = batch.Requests[i].Sequence;
        }
        CancellationToken drop = _drop.Token;
        _ahead = Task.Run(() => ReadAheadAsync(underway, drop), CancellationToken.None);
    }

    /// <summary>DropAsync forgets what was read ahead: the epoch before it was not committed.</summary>
    public async Task DropAsync()
    {
        if (_ahead is { } ahead)
        {
            _ahead = null;
            await _drop.CancelAsync();
            await ((Task)ahead).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            _drop.Dispose();
            _drop = new CancellationTokenSource();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await DropAsync();
        _drop.Dispose();
    }

    private async Task<ReadBatch> ReadAheadAsync(long[] underway, CancellationToken drop)
    {
        ReadBatch batch = await ReadAsync(new EpochTimes(_metrics), underway, drop);
        using (batch.Times.Measure(EpochStep.Labels))
        {
            ExpectLabels(batch.Pending);
        }
        return batch;
    }

    private async Task<ReadBatch> ReadAsync(EpochTimes times, long[] underway, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        PendingBatch pending;
        using (times.Measure(EpochStep.Read))
        {
            pending = await _store.ReadPendingAsync(_options.MaxUpdatesPerEpoch, _options.MaxBytesPerEpoch, underway, cancellationToken);
            _metrics.Pending(pending.More ? await _store.CountPendingAsync(MaxCounted, cancellationToken) : underway.Length + pending.Items);
        }
        return new ReadBatch(pending, times, start);
    }

    private void ExpectLabels(PendingBatch pending)
    {
        var structures = new StructureId[pending.Items];
        using var keys = new ByteStrings(pending.Items, 32 * pending.Items);
        foreach (PendingRequest request in pending.Requests)
        {
            foreach (AcceptItem item in request.Items)
            {
                structures[keys.Count] = item.Structure;
                keys.Add(item.Key.Span);
            }
        }
        _directory.Expect(structures, keys);
    }
}
