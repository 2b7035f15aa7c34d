using Optiks.Native;

namespace Optiks.QueryService.Following;

/// <summary>What is kept of an epoch that was served before the newest one, to be asked about still. It knows of no epoch before it, which goes when it is no recent one any more.</summary>
/// <param name="Epoch">The epoch.</param>
/// <param name="View">Its trees, whose maker's reference <see cref="CurrentEpoch"/> gives back.</param>
/// <param name="Record">Its record, encoded.</param>
/// <param name="TimeMs">Of the record, Unix milliseconds.</param>
internal sealed record RecentEpoch(ulong Epoch, DirectoryView View, ReadOnlyMemory<byte> Record, ulong TimeMs);
