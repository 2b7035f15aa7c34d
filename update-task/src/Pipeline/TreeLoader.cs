using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>TreeLoader fills a directory, empty or of a snapshot, from the database.</summary>
internal sealed class TreeLoader
{
    private const int BatchRows = 65_536;

    private readonly IPipelineStore _store;
    private readonly TrustAnchor _anchor;
    private readonly KeyDirectory _directory;

    public TreeLoader(IPipelineStore store, TrustAnchor anchor, KeyDirectory directory)
    {
        _store = store;
        _anchor = anchor;
        _directory = directory;
    }

    /// <summary>
    /// LoadAsync loads the directory's next epochs up to <paramref name="target"/> at once and gives the target's row. The caller compares the roots.
    /// <see cref="SnapshotRefusedException"/>: the directory is not at an epoch of this log.
    /// </summary>
    public async Task<EpochRow> LoadAsync(ulong target, CancellationToken cancellationToken)
    {
        StructureState[] states = _directory.States(out ulong start);
        SnapshotFile.ThrowIfNewer(start, target);
        EpochRow? row = null;
        await foreach (IReadOnlyList<EpochRow> page in EpochHistory.ReadAsync(_store, _anchor, target, cancellationToken))
        {
            row = page[^1];
            if (start > 0 && page[0].Epoch <= start && start <= row.Epoch)
            {
                SnapshotFile.ThrowUnlessSame(states, EpochRecord.Decode(page[(int)(start - page[0].Epoch)].Record.Span));
            }
        }
        if (target > start)
        {
            ulong loaded = start;
            try
            {
                await foreach (LeafBatch batch in _store.ReadLeavesAsync(start + 1, target, BatchRows, cancellationToken))
                {
                    loaded = batch.Rows.Span[^1].Epoch;
                    _directory.Load(loaded, batch.Rows.Span, batch.Values.Span);
                }
                if (loaded < target)
                {
                    _directory.Load(target, [], []);
                }
            }
            catch (OptiksNativeException e) when (e.Status is NativeStatus.Data or NativeStatus.Duplicate)
            {
                throw new StorageCorruptException($"The leaves in the database contradict each other: {e.Message}", e);
            }
        }
        return row ?? throw new StorageCorruptException("The database lacks epoch 0.");
    }

    /// <summary>LoadAndRenderAsync does it epoch by epoch and makes each one's tiles and audit proof again on the way: for a board that was lost.</summary>
    public async Task<EpochRow> LoadAndRenderAsync(ulong target, BoardFolder board, BoardWriter writer, BoardLock boardLock, CancellationToken cancellationToken)
    {
        var files = new DurableFiles(board.Log);
        EpochRow? previous = null;
        await foreach (IReadOnlyList<EpochRow> page in EpochHistory.ReadAsync(_store, _anchor, target, cancellationToken))
        {
            var rest = new Queue<EpochRow>(page);
            if (previous is null)
            {
                previous = rest.Dequeue();
            }
            if (rest.Count > 0)
            {
                await foreach (LeafBatch batch in _store.ReadLeavesAsync(rest.Peek().Epoch, page[^1].Epoch, BatchRows, cancellationToken))
                {
                    for (int start = 0; start < batch.Rows.Length;)
                    {
                        ulong epoch = batch.Rows.Span[start].Epoch;
                        int end = start;
                        while (end < batch.Rows.Length && batch.Rows.Span[end].Epoch == epoch)
                        {
                            end++;
                        }
                        while (rest.Peek().Epoch < epoch)
                        {
                            Render(files, previous, rest.Peek(), default, default);
                            previous = rest.Dequeue();
                        }
                        Render(files, previous, rest.Peek(), batch.Rows[start..end], batch.Values);
                        previous = rest.Dequeue();
                        start = end;
                    }
                }
            }
            foreach (EpochRow row in rest)
            {
                Render(files, previous, row, default, default);
                previous = row;
            }
            await writer.AppendAsync(boardLock, page[0].Epoch, [.. page.Select(row => row.Record)], cancellationToken);
        }
        return previous ?? throw new StorageCorruptException("The database lacks epoch 0.");
    }

    private void Render(DurableFiles files, EpochRow previous, EpochRow row, ReadOnlyMemory<LeafRow> leaves, ReadOnlyMemory<byte> values)
    {
        using StagedEpoch staged = _directory.Stage(row.Epoch, leaves.Span, values.Span, withProofs: true);
        if (!Recovery.SameStates(staged.States(), row.Record.Span))
        {
            throw new StorageCorruptException($"The leaves in the database do not give the roots of the record of epoch {row.Epoch}.");
        }
        files.WriteOnce(AuditPath.Of(row.Epoch), AuditProofFile.Encode(previous.Record.Span, row.Record.Span, staged.AppendProofs()));
        staged.Commit();
    }
}
