using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Optiks.Protocol;
using Optiks.Secrets;

[assembly: DisableRuntimeMarshalling]

namespace Optiks.Native;

/// <summary>
/// Declares the functions of ozks/include/optiks/optiks.h that need a directory, and that only servers call, as <see cref="Interop"/>
/// declares the functions that clients call too.
/// </summary>
internal static unsafe partial class DirectoryInterop
{
    private const string Library = "optiks";

    [StructLayout(LayoutKind.Sequential)]
    public struct DirOptions
    {
        public fixed byte VrfSecret[Structures.Count * Lengths.VrfSecretKey];
        public fixed byte TagKey[Structures.Count * DirectorySecrets.TagKeyLength];
        public byte* LeafLogPath;
        public ulong VrfCacheBytes;
        public ulong Period;
        public ulong PeriodFirstEpoch;
        public uint MaxValueLen;
        public KeptValues KeptValues;
        public uint Threads;
        public uint UsernameReuse;
        public byte* NodeStorePath;
        public ulong NodeCacheBytes;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct UsersSummary
    {
        public ulong NumEntries;
        public ulong NumProofs;
        public nuint AheadUser;
        public uint AheadOf;
        public uint Reserved;
    }

    public struct UserMonitorSummary
    {
        public ulong NumEntries;
        public ulong NumProofs;
        public nuint Index;
        public uint Unanswered;
        public uint Reserved;
    }

    public struct UserMonitorPage
    {
        public ulong MaxMembers;
        public ulong MaxAllMembers;
        public ulong MaxFollowed;
        public ulong MaxBytes;
        public uint OwnOnly;
        public uint Reserved;
    }

    [LibraryImport(Library)]
    public static partial int optiks_dir_create(DirOptions* options, out nint directory);

    [LibraryImport(Library, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int optiks_dir_restore(DirOptions* options, string path, out nint directory);

    [LibraryImport(Library)]
    public static partial int optiks_dir_check(DirectoryHandle directory);

    [LibraryImport(Library)]
    public static partial void optiks_dir_destroy(nint directory);

    [LibraryImport(Library)]
    public static partial int optiks_dir_load(DirectoryHandle directory, ulong epoch, ReadOnlySpan<LeafRow> leaves, nuint numLeaves,
        ReadOnlySpan<byte> values, nuint valuesLength);

    [LibraryImport(Library)]
    public static partial int optiks_dir_load_end(DirectoryHandle directory);

    [LibraryImport(Library)]
    public static partial int optiks_dir_shrink(DirectoryHandle directory, ulong nodeCacheBytes, out int isDone);

    [LibraryImport(Library)]
    public static partial int optiks_dir_versions(
        DirectoryHandle directory, nuint n, ReadOnlySpan<byte> structures, ReadOnlySpan<byte> keys, ReadOnlySpan<ulong> keyOffsets,
        Span<ulong> versions);

    [LibraryImport(Library)]
    public static partial int optiks_dir_newest_values(
        DirectoryHandle directory, byte structure, nuint n, ReadOnlySpan<byte> keys, ReadOnlySpan<ulong> keyOffsets,
        Span<byte> output, nuint capacity, out nuint length, Span<ulong> ends, Span<byte> kept);

    [LibraryImport(Library)]
    public static partial int optiks_dir_leaves(
        DirectoryHandle directory, byte structure, ReadOnlySpan<byte> key, nuint keyLength, ulong from, nuint n, Span<byte> labels,
        Span<ulong> epochs);

    [LibraryImport(Library)]
    public static partial int optiks_dir_erase(
        DirectoryHandle directory, nuint n, ReadOnlySpan<byte> structures, ReadOnlySpan<byte> labels, ReadOnlySpan<byte> commitments);

    [LibraryImport(Library)]
    public static partial int optiks_dir_precompute_labels(
        DirectoryHandle directory, nuint n, ReadOnlySpan<byte> structures, ReadOnlySpan<byte> keys, ReadOnlySpan<ulong> keyOffsets);

    [LibraryImport(Library)]
    public static partial int optiks_dir_prepare(
        DirectoryHandle directory, ulong epoch, nuint n, ReadOnlySpan<byte> structures, ReadOnlySpan<byte> keys,
        ReadOnlySpan<ulong> keyOffsets,
        ReadOnlySpan<byte> values, ReadOnlySpan<ulong> valueOffsets, Span<LeafRow> leaves);

    [LibraryImport(Library)]
    public static partial int optiks_dir_stage(
        DirectoryHandle directory, ulong epoch, ReadOnlySpan<LeafRow> leaves, nuint numLeaves, ReadOnlySpan<byte> values,
        nuint valuesLength, int withProofs, out nint staged);

    [LibraryImport(Library)]
    public static partial int optiks_dir_prepare_copies(
        DirectoryHandle directory, nuint n, ReadOnlySpan<byte> structures, ReadOnlySpan<byte> keys, ReadOnlySpan<ulong> keyOffsets,
        ReadOnlySpan<ulong> versions, ReadOnlySpan<byte> values, ReadOnlySpan<ulong> valueOffsets, Span<LeafRow> copies);

    [LibraryImport(Library)]
    public static partial int optiks_dir_load_copies(
        DirectoryHandle directory, ReadOnlySpan<LeafRow> copies, nuint numCopies, ReadOnlySpan<byte> values, nuint valuesLength);

    [LibraryImport(Library)]
    public static partial int optiks_dir_start_period(
        DirectoryHandle directory, ulong epoch, ReadOnlySpan<LeafRow> leaves, nuint numLeaves, ReadOnlySpan<byte> values,
        nuint valuesLength, int withProofs, out nint staged);

    [LibraryImport(Library)]
    public static partial int optiks_staged_states(StagedHandle staged, Span<byte> states);

    [LibraryImport(Library)]
    public static partial int optiks_staged_append_proofs(StagedHandle staged, Span<byte> proofs, nuint capacity, out nuint length);

    [LibraryImport(Library)]
    public static partial int optiks_staged_commit(nint staged);

    [LibraryImport(Library)]
    public static partial void optiks_staged_destroy(nint staged);

    [LibraryImport(Library)]
    public static partial int optiks_dir_states(DirectoryHandle directory, out ulong epoch, Span<byte> states);

    [LibraryImport(Library)]
    public static partial int optiks_dir_stats(DirectoryHandle directory, out DirectoryStats stats);

    [LibraryImport(Library)]
    public static partial int optiks_dir_view(DirectoryHandle directory, out nint view);

    [LibraryImport(Library)]
    public static partial void optiks_view_destroy(nint view);

    [LibraryImport(Library, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int optiks_view_save(ViewHandle view, string path);

    [LibraryImport(Library)]
    public static partial int optiks_view_states(ViewHandle view, out ulong epoch, Span<byte> states);

    [LibraryImport(Library)]
    public static partial int optiks_view_lookup_cached(
        ViewHandle view, byte structure, nuint n, ReadOnlySpan<byte> keys, ReadOnlySpan<ulong> keyOffsets, ReadOnlySpan<ulong> knownPeriods,
        ReadOnlySpan<ulong> knownVersions, Span<byte> output, nuint capacity, out nuint length, Span<ulong> ends);

    [LibraryImport(Library)]
    public static partial int optiks_view_users_summary(
        ViewHandle view, ReadOnlySpan<byte> queries, nuint queriesLength, ulong maxEntries, out UsersSummary summary);

    [LibraryImport(Library)]
    public static partial int optiks_view_users_cached(
        ViewHandle view, ReadOnlySpan<byte> queries, nuint queriesLength, ulong maxEntries, Span<byte> output, nuint capacity,
        out nuint length, out UsersSummary summary);

    [LibraryImport(Library)]
    public static partial int optiks_view_user_monitor_summary(
        ViewHandle view, ReadOnlySpan<byte> query, nuint queryLength, in UserMonitorPage page, out UserMonitorSummary summary);

    [LibraryImport(Library)]
    public static partial int optiks_proofs_create(ViewHandle view, byte structure, int useCache, out nint proofs);

    [LibraryImport(Library)]
    public static partial void optiks_proofs_destroy(nint proofs);

    [LibraryImport(Library)]
    public static partial int optiks_proofs_add_lookups(
        ProofsHandle proofs, nuint n, ReadOnlySpan<byte> keys, ReadOnlySpan<ulong> keyOffsets, ReadOnlySpan<ulong> knownPeriods,
        ReadOnlySpan<ulong> knownVersions);

    [LibraryImport(Library)]
    public static partial int optiks_proofs_add_versions(
        ProofsHandle proofs, ReadOnlySpan<byte> key, nuint keyLength, ulong from, uint maxMembers);

    [LibraryImport(Library)]
    public static partial int optiks_proofs_add_users(
        ProofsHandle proofs, ReadOnlySpan<byte> queries, nuint queriesLength, ulong maxEntries);

    [LibraryImport(Library)]
    public static partial int optiks_proofs_add_user_monitor(
        ProofsHandle proofs, ReadOnlySpan<byte> query, nuint queryLength, in UserMonitorPage page);

    [LibraryImport(Library)]
    public static partial int optiks_proofs_run(ProofsHandle proofs);

    [LibraryImport(Library)]
    public static partial int optiks_proofs_lookup_many(
        ProofsHandle proofs, nuint n, ReadOnlySpan<byte> keys, ReadOnlySpan<ulong> keyOffsets, ReadOnlySpan<ulong> knownPeriods,
        ReadOnlySpan<ulong> knownVersions,
        Span<byte> output, nuint capacity, out nuint length, Span<ulong> ends);

    [LibraryImport(Library)]
    public static partial int optiks_proofs_versions(
        ProofsHandle proofs, ReadOnlySpan<byte> key, nuint keyLength, ulong from, uint maxMembers, nuint maxBytes,
        Span<byte> output, nuint capacity, out nuint length);

    [LibraryImport(Library)]
    public static partial int optiks_proofs_users(
        ProofsHandle proofs, ReadOnlySpan<byte> queries, nuint queriesLength, ulong maxEntries, Span<byte> output, nuint capacity,
        out nuint length, out UsersSummary summary);

    [LibraryImport(Library)]
    public static partial int optiks_proofs_user_monitor(
        ProofsHandle proofs, ReadOnlySpan<byte> query, nuint queryLength, in UserMonitorPage page, Span<byte> output, nuint capacity,
        out nuint length, out UserMonitorSummary summary);

    [LibraryImport(Library)]
    public static partial int optiks_append_merge(
        nuint n, ReadOnlySpan<byte> proofs, ReadOnlySpan<ulong> proofOffsets, ReadOnlySpan<ulong> counts, Span<byte> output, nuint capacity,
        out nuint length);
}
