using Optiks.Native;

namespace Optiks.QueryService.Following;

/// <summary>
/// An epoch that was served before the current one and about which requests may still ask. This object does not refer to earlier epochs, so
/// that their trees can be freed once they are no longer recent.
/// </summary>
/// <param name="Epoch">The epoch's number.</param>
/// <param name="View">The epoch's trees; <see cref="CurrentEpoch"/> releases the reference that the view's creator holds.</param>
/// <param name="Record">The epoch's encoded record.</param>
/// <param name="TimeMs">The time of the record, in Unix milliseconds.</param>
internal sealed record RecentEpoch(ulong Epoch, DirectoryView View, ReadOnlyMemory<byte> Record, ulong TimeMs);
