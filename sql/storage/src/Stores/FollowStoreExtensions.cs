namespace Optiks.Storage;

/// <summary>Reads one epoch at a time from a store.</summary>
public static class FollowStoreExtensions
{
    /// <summary>Reads one epoch; returns null if the epoch does not exist or the store's role does not see it.</summary>
    public static async Task<EpochRow?> TryReadEpochAsync(this IFollowStore store, ulong epoch, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(store);
        IReadOnlyList<EpochRow> rows = await store.ReadEpochsAsync(epoch, epoch, cancellationToken).ConfigureAwait(false);
        return rows.Count == 0 ? null : rows[0];
    }

    /// <summary>Reads one epoch that must exist. Throws <see cref="StorageCorruptException"/> when the database lacks the epoch.</summary>
    public static async Task<EpochRow> ReadEpochAsync(this IFollowStore store, ulong epoch, CancellationToken cancellationToken) =>
        await store.TryReadEpochAsync(epoch, cancellationToken).ConfigureAwait(false)
            ?? throw new StorageCorruptException($"The database lacks epoch {epoch}.");
}
