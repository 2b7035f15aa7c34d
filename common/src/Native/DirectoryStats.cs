using System.Runtime.InteropServices;

namespace Optiks.Native;

/// <summary>DirectoryStats counts what a directory holds and uses; <c>optiks_dir_stats_t</c>.</summary>
/// <param name="Epoch">The directory's epoch.</param>
/// <param name="Leaves">Leaves of all trees.</param>
/// <param name="TreeBytes">Memory of the trees; in stored mode of their cache.</param>
/// <param name="KeyTableBytes">Memory of the table of keys.</param>
/// <param name="LeafLogBytes">Length of the leaf log.</param>
/// <param name="VrfCacheBytes">Memory of the cache of VRF proofs.</param>
/// <param name="VrfCacheHits">Proofs that were in the cache.</param>
/// <param name="VrfCacheMisses">Proofs that were computed.</param>
/// <param name="NodeStoreBytes">Length of the node store, in stored mode.</param>
/// <param name="NodeCacheHits">Parts of trees that were in the cache, in stored mode.</param>
/// <param name="NodeCacheMisses">Parts of trees that were read from the node store.</param>
/// <param name="Period">The directory's period.</param>
/// <param name="PeriodFirstEpoch">Its first epoch; 0 in a later period than the first that has not begun.</param>
[StructLayout(LayoutKind.Sequential)]
public readonly record struct DirectoryStats(
    ulong Epoch, ulong Leaves, ulong TreeBytes, ulong KeyTableBytes, ulong LeafLogBytes, ulong VrfCacheBytes, ulong VrfCacheHits, ulong VrfCacheMisses,
    ulong NodeStoreBytes, ulong NodeCacheHits, ulong NodeCacheMisses, ulong Period, ulong PeriodFirstEpoch);
