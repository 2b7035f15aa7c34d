namespace Optiks.Storage;

/// <summary>Reads single epochs.</summary>
public static class FollowStoreExtensions
{
    /// <summary>Reads one epoch; returns null when this role sees no epoch of that number.</summary>
    public static async Task<EpochRow?> TryReadEpochAsync(this IFollowStore store, ulong epoch, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(store);
        IReadOnlyList<EpochRow> rows = await store.ReadEpochsAsync(epoch, epoch, cancellationToken).ConfigureAwait(false);
        return rows.Count == 0 ? null : rows[0];
    }

    /// <summary>Reads one epoch that must exist. Throws <see cref="StorageCorruptException"/> when the database lacks it.</summary>
    public static async Task<EpochRow> ReadEpochAsync(this IFollowStore store, ulong epoch, CancellationToken cancellationToken) =>
        await store.TryReadEpochAsync(epoch, cancellationToken).ConfigureAwait(false) ?? throw new StorageCorruptException($"The database lacks epoch {epoch}.");
}
