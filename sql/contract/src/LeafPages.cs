using System.Runtime.CompilerServices;

namespace Optiks.Storage;

/// <summary>LeafPages is <see cref="IFollowStore.ReadLeavesAsync"/> over an engine's reading of one batch. Each batch is a read transaction of its own: a long one would keep the engine from cleaning up what was deleted since.</summary>
public static class LeafPages
{
    /// <summary>Gives the batches of epochs <paramref name="first"/> to <paramref name="last"/> that are visible.</summary>
    /// <param name="first">First epoch.</param>
    /// <param name="last">Last epoch; where fewer are visible the batches end there.</param>
    /// <param name="batchRows">About how many leaves a batch has, at least 1.</param>
    /// <param name="read">Reads the batch that begins with an epoch, and says its last epoch; null: there is no such epoch.</param>
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
