namespace Optiks.Storage;

/// <summary>Adds shorter forms of common calls to <see cref="PipelineStore"/>.</summary>
public static class PipelineStoreExtensions
{
    /// <summary>
    /// Reads the pending updates that one epoch may take, as <see cref="PendingSelection"/> selects them. If <paramref name="underway"/> is
    /// given, it has the updates of the previous epoch, which is not committed yet.
    /// </summary>
    public static async Task<EpochUpdates> ReadPendingAsync(
        this PipelineStore store, int maxItems, long maxBytes, EpochUpdates? underway, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(store);
        var selection = new PendingSelection(maxItems, maxBytes, underway);
        await store.ReadPendingAsync(selection, cancellationToken).ConfigureAwait(false);
        return selection.Complete();
    }

    /// <summary>Reads the pending requests that the next epoch may take, if the previous epoch is already committed.</summary>
    public static async Task<IReadOnlyList<PendingRequest>> ReadPendingAsync(
        this PipelineStore store, int maxItems, long maxBytes, CancellationToken cancellationToken) =>
        (await store.ReadPendingAsync(maxItems, maxBytes, underway: null, cancellationToken).ConfigureAwait(false)).Requests;

    /// <summary>Counts all pending items.</summary>
    public static Task<long> CountPendingAsync(this PipelineStore store, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(store);
        return store.CountPendingAsync(long.MaxValue, cancellationToken);
    }
}
