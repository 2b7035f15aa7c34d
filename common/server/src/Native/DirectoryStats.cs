using System.Runtime.InteropServices;

namespace Optiks.Native;

/// <summary>Counts a directory's contents and its use of memory and disk (<c>optiks_dir_stats_t</c>).</summary>
/// <param name="Epoch">The directory's epoch.</param>
/// <param name="Leaves">The number of leaves in all trees.</param>
/// <param name="TreeBytes">The memory that the trees use; in stored mode, the memory that the cache of the trees' parts uses.</param>
/// <param name="KeyTableBytes">The memory that the key table uses.</param>
/// <param name="LeafLogBytes">The length of the leaf log.</param>
/// <param name="VrfCacheBytes">The memory that the cache of VRF proofs uses.</param>
/// <param name="VrfCacheHits">The number of VRF proofs that were found in the cache.</param>
/// <param name="VrfCacheMisses">The number of VRF proofs that were computed because the cache did not have them.</param>
/// <param name="NodeStoreBytes">The length of the node store, in stored mode.</param>
/// <param name="NodeCacheHits">In stored mode, the number of times that a part of a tree was found in the cache.</param>
/// <param name="NodeCacheMisses">In stored mode, the number of times that a part of a tree was read from the node store.</param>
/// <param name="Period">The directory's period.</param>
/// <param name="PeriodFirstEpoch">The period's first epoch; 0 if the period has not begun.</param>
[StructLayout(LayoutKind.Sequential)]
public readonly record struct DirectoryStats(
    ulong Epoch, ulong Leaves, ulong TreeBytes, ulong KeyTableBytes, ulong LeafLogBytes, ulong VrfCacheBytes, ulong VrfCacheHits,
    ulong VrfCacheMisses,
    ulong NodeStoreBytes, ulong NodeCacheHits, ulong NodeCacheMisses, ulong Period, ulong PeriodFirstEpoch);
