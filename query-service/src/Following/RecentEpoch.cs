using Optiks.Native;

namespace Optiks.QueryService.Following;

/// <summary>
/// An epoch that was served before the newest one and about which requests may still ask. It has no reference to earlier epochs, so that
/// the trees of earlier epochs can be freed when those epochs are no longer recent.
/// </summary>
/// <param name="Epoch">The epoch.</param>
/// <param name="View">The epoch's trees; <see cref="CurrentEpoch"/> releases their creator's reference.</param>
/// <param name="Record">The epoch's encoded record.</param>
/// <param name="TimeMs">The time of the record, Unix milliseconds.</param>
internal sealed record RecentEpoch(ulong Epoch, DirectoryView View, ReadOnlyMemory<byte> Record, ulong TimeMs);
