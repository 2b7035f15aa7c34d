namespace Optiks.Storage;

/// <summary>FollowStoreExtensions read single epochs.</summary>
public static class FollowStoreExtensions
{
    /// <summary>Reads one epoch; null when the role sees none of this number.</summary>
    public static async Task<EpochRow?> TryReadEpochAsync(this IFollowStore store, ulong epoch, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(store);
        IReadOnlyList<EpochRow> rows = await store.ReadEpochsAsync(epoch, epoch, cancellationToken).ConfigureAwait(false);
        return rows.Count == 0 ? null : rows[0];
    }

    /// <summary>Reads one epoch that the database has to have. Throws <see cref="StorageCorruptException"/>.</summary>
    public static async Task<EpochRow> ReadEpochAsync(this IFollowStore store, ulong epoch, CancellationToken cancellationToken) =>
        await store.TryReadEpochAsync(epoch, cancellationToken).ConfigureAwait(false) ?? throw new StorageCorruptException($"The database lacks epoch {epoch}.");
}
