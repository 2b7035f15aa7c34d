using System.Runtime.CompilerServices;

namespace Optiks.Storage;

/// <summary>
/// Implements <see cref="IFollowStore.ReadLeavesAsync"/> for all engines by means of an engine's read of one batch. Each batch is a
/// separate read transaction, because a long transaction would keep the engine from cleaning up rows that were deleted since it began.
/// </summary>
public static class LeafPages
{
    /// <summary>Reads the visible batches of epochs <paramref name="first"/> to <paramref name="last"/>.</summary>
    /// <param name="first">First epoch.</param>
    /// <param name="last">Last epoch; the batches end earlier when fewer epochs are visible.</param>
    /// <param name="batchRows">The approximate number of leaves in a batch, at least 1.</param>
    /// <param name="read">Reads the batch that begins with an epoch, and returns its last epoch; null when there is no such epoch.</param>
    /// <param name="cancellationToken">Cancels the reading.</param>
    public static async IAsyncEnumerable<LeafBatch> ReadAsync(
        ulong first, ulong last, int batchRows, Func<ulong, CancellationToken, Task<(LeafBatch Batch, ulong? Through)>> read, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(read);
        ArgumentOutOfRangeException.ThrowIfLessThan(batchRows, 1);
        ulong next = first;
        while (next <= last)
        {
            (LeafBatch batch, ulong? through) = await read(next, cancellationToken).ConfigureAwait(false);
            if (!batch.Rows.IsEmpty)
            {
                yield return batch;
            }
            if (through is not ulong end)
            {
                yield break;
            }
            next = end + 1;
        }
    }
}
