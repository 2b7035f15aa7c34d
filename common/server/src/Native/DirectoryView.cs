using System.Buffers;
using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>
/// Gives any number of threads at once an immutable view of one epoch. The view counts its references itself, so that a request needs no
/// finalizable object. The caller that took the view holds the first reference and returns it with <see cref="Dispose"/>. Every other user
/// takes a reference with <see cref="TryAcquire"/> and returns it with <see cref="Release"/>. The return of the last reference frees the
/// native view.
/// </summary>
public sealed class DirectoryView : IDisposable
{
    /// <summary>The largest number of keys in one lookup.</summary>
    public const int MaxKeys = ProtocolLimits.MaxQueries;

    // The room that a lookup requests first. It is enough for the answer about a key with ten versions, with eight proofs, in a tree of
    // 2^26 leaves.
    internal const int ExpectedLookupLength = 8 * 1024;
    internal const int ExpectedVersionsLength = 2 * ExpectedLookupLength;

    // The room that an answer about users requests first. It is enough for a user with three devices in a large tree.
    internal const int ExpectedUsersLength = 12 * 1024;

    internal const int VectorPrefixLength = 4;

    private readonly ViewHandle _handle;
    private int _references = 1;
    private int _disposed;

    internal DirectoryView(ViewHandle handle)
    {
        _handle = handle;
        Span<byte> octets = stackalloc byte[StructureState.TotalLength];
        OptiksNativeException.ThrowIfFailed(
            DirectoryInterop.optiks_view_states(handle, out ulong epoch, octets), nameof(DirectoryInterop.optiks_view_states));
        Epoch = epoch;
        States = StructureState.DecodeAll(octets);
    }

    /// <summary>The epoch that the view shows.</summary>
    public ulong Epoch { get; }

    /// <summary>The states of the structures, in the order of their numbers.</summary>
    public IReadOnlyList<StructureState> States { get; }

    /// <summary>
    /// Takes a reference. Returns false if the last reference has already been returned, which has freed the view; the caller then takes
    /// the directory's current view instead.
    /// </summary>
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
    /// Writes the view to a file, from which <see cref="KeyDirectory.Restore"/> makes the directory again. When the call returns, the file
    /// and the leaf log are on the disk. Until then, and after a failure, an earlier file at the path stays unchanged. The call takes
    /// seconds to minutes. The caller must hold a reference. Two calls must not save to the same path at the same time. Throws with
    /// <see cref="NativeStatus.State"/> if the directory's leaf log has no name, and with <see cref="NativeStatus.Io"/> if the disk fails.
    /// </summary>
    public void Save(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        OptiksNativeException.ThrowIfFailed(DirectoryInterop.optiks_view_save(_handle, path), nameof(DirectoryInterop.optiks_view_save));
    }

    /// <summary>Returns one reference that <see cref="TryAcquire"/> took. Each reference must be returned exactly once.</summary>
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

    /// <summary>Returns the first reference, which the caller that took the view holds. A repeated call does nothing.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, 1) == 0)
        {
            Release();
        }
    }

    /// <summary>
    /// Writes the same answer as <see cref="ProofBatch.WriteLookups"/>, with cached VRF proofs only, which takes microseconds for each key.
    /// If a proof is not cached, returns false and writes nothing. The caller must hold a reference.
    /// </summary>
    public bool TryWriteLookups(
        StructureId structure, ByteStrings keys, ReadOnlySpan<ulong> knownPeriods, ReadOnlySpan<ulong> knownVersions,
        IBufferWriter<byte> output, Span<ulong> latest)
    {
        int n = CountLookups(keys, knownPeriods, knownVersions);
        Span<ulong> ends = stackalloc ulong[MaxKeys];
        var room = new AnswerRoom(output, VectorPrefixLength, n * ExpectedLookupLength);
        int status;
        nuint length;
        do
        {
            status = DirectoryInterop.optiks_view_lookup_cached(
                _handle, (byte)structure, (nuint)n, keys.Blob, keys.Offsets, knownPeriods, knownVersions, room.Span,
                (nuint)room.Span.Length, out length, ends);
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
        room.Finish(status, length, nameof(DirectoryInterop.optiks_view_lookup_cached));
        return true;
    }

    /// <summary>
    /// Summarizes the answer that <see cref="ProofBatch.WriteUsers"/> would write, without making a proof. The caller must hold a
    /// reference.
    /// </summary>
    public UsersSummary SummarizeUsers(ReadOnlySpan<byte> queries, int maxEntries)
    {
        int status = DirectoryInterop.optiks_view_users_summary(
            _handle, queries, (nuint)queries.Length, (ulong)maxEntries, out DirectoryInterop.UsersSummary summary);
        OptiksNativeException.ThrowIfFailed(status, nameof(DirectoryInterop.optiks_view_users_summary));
        return UsersSummary.From(summary);
    }

    /// <summary>
    /// Writes the same answer as <see cref="ProofBatch.WriteUsers"/>, with cached VRF proofs only. If a proof is not cached, returns false
    /// and writes nothing. The caller must hold a reference.
    /// </summary>
    public bool TryWriteUsers(ReadOnlySpan<byte> queries, int maxEntries, IBufferWriter<byte> output, out UsersSummary summary)
    {
        ArgumentNullException.ThrowIfNull(output);
        var room = new AnswerRoom(output, 0, ExpectedUsersLength);
        int status;
        nuint length;
        DirectoryInterop.UsersSummary native;
        do
        {
            status = DirectoryInterop.optiks_view_users_cached(
                _handle, queries, (nuint)queries.Length, (ulong)maxEntries, room.Span, (nuint)room.Span.Length, out length, out native);
        }
        while (room.Grown(status, length));
        if (status != (int)NativeStatus.Unproven)
        {
            room.Finish(status, length, nameof(DirectoryInterop.optiks_view_users_cached));
        }
        summary = UsersSummary.From(native);
        return status == (int)NativeStatus.Ok;
    }

    /// <summary>
    /// Summarizes the answer that <see cref="ProofBatch.WriteUserMonitor"/> would write, without making a proof. The caller must hold a
    /// reference.
    /// </summary>
    public UserMonitorSummary SummarizeUserMonitor(ReadOnlySpan<byte> query, UserMonitorPage page)
    {
        DirectoryInterop.UserMonitorPage native = page.ToNative();
        int status = DirectoryInterop.optiks_view_user_monitor_summary(
            _handle, query, (nuint)query.Length, in native, out DirectoryInterop.UserMonitorSummary summary);
        OptiksNativeException.ThrowIfFailed(status, nameof(DirectoryInterop.optiks_view_user_monitor_summary));
        return UserMonitorSummary.From(summary);
    }

    /// <summary>
    /// Begins a batch of VRF proofs for answers about users and about the keys of one structure. If <paramref name="useCache"/> is false,
    /// the batch makes every proof anew and caches no proof, so that the time of an answer reveals nothing about earlier requests. The
    /// caller must dispose the batch, and must hold a reference to the view until then.
    /// </summary>
    public ProofBatch CreateProofs(StructureId structure, bool useCache = true)
    {
        int status = DirectoryInterop.optiks_proofs_create(_handle, (byte)structure, useCache ? 1 : 0, out nint proofs);
        OptiksNativeException.ThrowIfFailed(status, nameof(DirectoryInterop.optiks_proofs_create));
        return new ProofBatch(new ProofsHandle(proofs, _handle));
    }

    /// <summary>Returns the number of keys in a lookup. Throws if the lengths of its arguments do not agree, which the native library
    /// cannot check.</summary>
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
