using System.Runtime.CompilerServices;

namespace Optiks.Storage;

/// <summary>
/// Implements <see cref="IFollowStore.ReadLeavesAsync"/> for all engines. The engine provides a function that reads one batch. Each batch
/// is a separate read transaction, because a long transaction would keep the engine from cleaning up rows that were deleted since it began.
/// </summary>
public static class LeafPages
{
    /// <summary>Reads the leaves of the epochs from <paramref name="first"/> to <paramref name="last"/> that the store's database role may
    /// see, in batches.</summary>
    /// <param name="first">First epoch.</param>
    /// <param name="last">Last epoch; the batches end earlier when fewer epochs are visible.</param>
    /// <param name="batchRows">The approximate number of leaves in a batch, at least 1.</param>
    /// <param name="read">The function that reads the batch that begins with the given epoch. It returns the batch and its last epoch,
    /// which is null if the role may not see the given epoch.</param>
    /// <param name="cancellationToken">Cancels the reading.</param>
    public static async IAsyncEnumerable<LeafBatch> ReadAsync(
        ulong first, ulong last, int batchRows, Func<ulong, CancellationToken, Task<(LeafBatch Batch, ulong? Through)>> read,
        [EnumeratorCancellation] CancellationToken cancellationToken)
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
