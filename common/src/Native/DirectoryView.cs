using System.Buffers;
using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>
/// DirectoryView is an immutable view of one epoch that any number of threads may ask at once. Counted by hand, so that a request costs no
/// finalizable object: whoever makes it holds the first reference and gives it back with <see cref="Dispose"/>; everyone else pairs
/// <see cref="TryAcquire"/> with <see cref="Release"/>. The native view goes with the last reference.
/// </summary>
public sealed class DirectoryView : IDisposable
{
    /// <summary>Largest number of keys of one lookup.</summary>
    public const int MaxKeys = ProtocolLimits.MaxQueries;

    // Room asked for first; a lookup of ten versions, with eight proofs, in a tree of 2^26 leaves fits.
    internal const int ExpectedLookupLength = 8 * 1024;
    internal const int ExpectedVersionsLength = 2 * ExpectedLookupLength;

    // A user with three devices fits in a large tree.
    internal const int ExpectedUsersLength = 12 * 1024;

    internal const int VectorPrefixLength = 4;

    private readonly ViewHandle _handle;
    private int _references = 1;
    private int _disposed;

    internal DirectoryView(ViewHandle handle)
    {
        _handle = handle;
        Span<byte> octets = stackalloc byte[StructureState.TotalLength];
        OptiksNativeException.ThrowIfFailed(Interop.optiks_view_states(handle, out ulong epoch, octets), nameof(Interop.optiks_view_states));
        Epoch = epoch;
        States = StructureState.DecodeAll(octets);
    }

    /// <summary>Epoch that the view shows.</summary>
    public ulong Epoch { get; }

    /// <summary>States of the structures, in order.</summary>
    public IReadOnlyList<StructureState> States { get; }

    /// <summary>TryAcquire takes a reference. False when the last one is gone: take the current view again.</summary>
    public bool TryAcquire()
    {
        int count = Volatile.Read(ref _references);
        while (count > 0)
        {
            int seen = Interlocked.CompareExchange(ref _references, count + 1, count);
            if (seen == count)
            {
                return true;
            }
            count = seen;
        }
        return false;
    }

    /// <summary>
    /// Save writes the view to a file, from which <see cref="KeyDirectory.Restore"/> makes the directory again. On return it and the leaf log are on the disk; until then, and after any failure,
    /// the path has the file that it had. Takes seconds to minutes; whoever calls it holds a reference. One at a time for a path. <see cref="NativeStatus.State"/>: the directory's leaf log has
    /// no name; <see cref="NativeStatus.Io"/>: the disk.
    /// </summary>
    public void Save(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        OptiksNativeException.ThrowIfFailed(Interop.optiks_view_save(_handle, path), nameof(Interop.optiks_view_save));
    }

    /// <summary>Release gives back a reference of <see cref="TryAcquire"/>, exactly once each.</summary>
    public void Release()
    {
        int left = Interlocked.Decrement(ref _references);
        if (left == 0)
        {
            _handle.Dispose();
        }
        else if (left < 0)
        {
            throw new InvalidOperationException("A view was released more often than it was acquired.");
        }
    }

    /// <summary>Dispose gives back the maker's reference. Repeating it does nothing.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, 1) == 0)
        {
            Release();
        }
    }

    /// <summary>
    /// TryWriteLookups is <see cref="ProofBatch.WriteLookups"/> from cached VRF proofs alone: microseconds a key. False, with nothing written, when one is not cached. The caller holds a reference.
    /// </summary>
    public bool TryWriteLookups(
        StructureId structure, ByteStrings keys, ReadOnlySpan<ulong> knownPeriods, ReadOnlySpan<ulong> knownVersions, IBufferWriter<byte> output, Span<ulong> latest)
    {
        int n = CountLookups(keys, knownPeriods, knownVersions);
        Span<ulong> ends = stackalloc ulong[MaxKeys];
        var room = new AnswerRoom(output, VectorPrefixLength, n * ExpectedLookupLength);
        int status;
        nuint length;
        do
        {
            status = Interop.optiks_view_lookup_cached(
                _handle, (byte)structure, (nuint)n, keys.Blob, keys.Offsets, knownPeriods, knownVersions, room.Span, (nuint)room.Span.Length, out length, ends);
        }
        while (room.Grown(status, length));
        if (status == (int)NativeStatus.Unproven)
        {
            return false;
        }
        if (status == (int)NativeStatus.Ok)
        {
            room.ReadVersions(ends, latest[..n]);
        }
        room.Finish(status, length, nameof(Interop.optiks_view_lookup_cached));
        return true;
    }

    /// <summary>SummarizeUsers says what <see cref="ProofBatch.WriteUsers"/> will write, without a proof. The caller holds a reference.</summary>
    public UsersSummary SummarizeUsers(ReadOnlySpan<byte> queries, int maxEntries)
    {
        int status = Interop.optiks_view_users_summary(_handle, queries, (nuint)queries.Length, (ulong)maxEntries, out Interop.UsersSummary summary);
        OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_view_users_summary));
        return UsersSummary.Of(summary);
    }

    /// <summary>TryWriteUsers is <see cref="ProofBatch.WriteUsers"/> from cached VRF proofs alone. False, with nothing written, when one is not cached. The caller holds a reference.</summary>
    public bool TryWriteUsers(ReadOnlySpan<byte> queries, int maxEntries, IBufferWriter<byte> output, out UsersSummary summary)
    {
        ArgumentNullException.ThrowIfNull(output);
        var room = new AnswerRoom(output, 0, ExpectedUsersLength);
        int status;
        nuint length;
        Interop.UsersSummary native;
        do
        {
            status = Interop.optiks_view_users_cached(
                _handle, queries, (nuint)queries.Length, (ulong)maxEntries, room.Span, (nuint)room.Span.Length, out length, out native);
        }
        while (room.Grown(status, length));
        if (status != (int)NativeStatus.Unproven)
        {
            room.Finish(status, length, nameof(Interop.optiks_view_users_cached));
        }
        summary = UsersSummary.Of(native);
        return status == (int)NativeStatus.Ok;
    }

    /// <summary>SummarizeUserMonitor says what <see cref="ProofBatch.WriteUserMonitor"/> will write, without a proof. The caller holds a reference.</summary>
    public UserMonitorSummary SummarizeUserMonitor(ReadOnlySpan<byte> query, UserMonitorPage page)
    {
        Interop.UserMonitorPage native = page.ToNative();
        int status = Interop.optiks_view_user_monitor_summary(_handle, query, (nuint)query.Length, in native, out Interop.UserMonitorSummary summary);
        OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_view_user_monitor_summary));
        return UserMonitorSummary.Of(summary);
    }

    /// <summary>
    /// CreateProofs begins a batch of VRF proofs for answers about users and about the keys of one structure. Without <paramref name="useCache"/> all of them are made, whatever is cached, and none is cached: how long an
    /// answer takes then tells nothing of what was asked before. The caller disposes it, and holds a reference until then.
    /// </summary>
    public ProofBatch CreateProofs(StructureId structure, bool useCache = true)
    {
        int status = Interop.optiks_proofs_create(_handle, (byte)structure, useCache ? 1 : 0, out nint proofs);
        OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_proofs_create));
        return new ProofBatch(new ProofsHandle(proofs, _handle));
    }

    /// <summary>CountLookups checks the arguments of a lookup, whose lengths the library cannot see.</summary>
    internal static int CountLookups(ByteStrings keys, ReadOnlySpan<ulong> knownPeriods, ReadOnlySpan<ulong> knownVersions)
    {
        ArgumentNullException.ThrowIfNull(keys);
        int n = keys.Count;
        ArgumentOutOfRangeException.ThrowIfZero(n, nameof(keys));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(n, MaxKeys, nameof(keys));
        return knownPeriods.Length == n && knownVersions.Length == n
            ? n
            : throw new ArgumentException("There is one known period and version for each key.", nameof(knownPeriods));
    }
}
