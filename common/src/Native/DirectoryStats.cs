using System.Runtime.InteropServices;

namespace Optiks.Native;

/// <summary>Counts a directory's contents and its use of memory and disk (<c>optiks_dir_stats_t</c>).</summary>
/// <param name="Epoch">The directory's epoch.</param>
/// <param name="Leaves">The number of leaves in all trees.</param>
/// <param name="TreeBytes">The memory of the trees; in stored mode, the memory of the cache of trees.</param>
/// <param name="KeyTableBytes">The memory of the key table.</param>
/// <param name="LeafLogBytes">The length of the leaf log.</param>
/// <param name="VrfCacheBytes">The memory of the cache of VRF proofs.</param>
/// <param name="VrfCacheHits">The number of proofs found in the cache.</param>
/// <param name="VrfCacheMisses">The number of proofs computed.</param>
/// <param name="NodeStoreBytes">The length of the node store, in stored mode.</param>
/// <param name="NodeCacheHits">The number of parts of trees found in the cache, in stored mode.</param>
/// <param name="NodeCacheMisses">The number of parts of trees read from the node store.</param>
/// <param name="Period">The directory's period.</param>
/// <param name="PeriodFirstEpoch">The period's first epoch; 0 if the period has not begun.</param>
[StructLayout(LayoutKind.Sequential)]
public readonly record struct DirectoryStats(
    ulong Epoch, ulong Leaves, ulong TreeBytes, ulong KeyTableBytes, ulong LeafLogBytes, ulong VrfCacheBytes, ulong VrfCacheHits, ulong VrfCacheMisses,
    ulong NodeStoreBytes, ulong NodeCacheHits, ulong NodeCacheMisses, ulong Period, ulong PeriodFirstEpoch);
