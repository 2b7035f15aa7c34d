using System.Buffers;

namespace Optiks.Native;

/// <summary>
/// ProofBatch makes the VRF proofs that several answers from a view need, about users and about the keys of one structure, in one batch, which costs much less than one after another: add what will be asked,
/// <see cref="Run"/>, write the answers. What turns out to be needed beyond that is made for its answer alone. One thread at a time. Disposed, and nothing else, after a failure of
/// adding or running.
/// </summary>
public sealed class ProofBatch : IDisposable
{
    private readonly ProofsHandle _handle;

    internal ProofBatch(ProofsHandle handle)
    {
        _handle = handle;
    }

    /// <summary>AddLookups adds what <see cref="WriteLookups"/> will need.</summary>
    public void AddLookups(ByteStrings keys, ReadOnlySpan<ulong> knownPeriods, ReadOnlySpan<ulong> knownVersions)
    {
        int n = DirectoryView.CountLookups(keys, knownPeriods, knownVersions);
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_proofs_add_lookups(_handle, (nuint)n, keys.Blob, keys.Offsets, knownPeriods, knownVersions), nameof(Interop.optiks_proofs_add_lookups));
    }

    /// <summary>AddVersions adds what <see cref="WriteVersions"/> will need first; of most answers that is all.</summary>
    public void AddVersions(ReadOnlySpan<byte> key, ulong from, uint maxMembers) =>
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_proofs_add_versions(_handle, key, (nuint)key.Length, from, maxMembers), nameof(Interop.optiks_proofs_add_versions));

    /// <summary>AddUsers adds what <see cref="WriteUsers"/> will need.</summary>
    public void AddUsers(ReadOnlySpan<byte> queries, int maxEntries) =>
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_proofs_add_users(_handle, queries, (nuint)queries.Length, (ulong)maxEntries), nameof(Interop.optiks_proofs_add_users));

    /// <summary>AddUserMonitor adds what <see cref="WriteUserMonitor"/> will need.</summary>
    public void AddUserMonitor(ReadOnlySpan<byte> query, UserMonitorPage page)
    {
        Interop.UserMonitorPage native = page.ToNative();
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_proofs_add_user_monitor(_handle, query, (nuint)query.Length, in native), nameof(Interop.optiks_proofs_add_user_monitor));
    }

    /// <summary>Run makes the proofs that are not cached.</summary>
    public void Run() => OptiksNativeException.ThrowIfFailed(Interop.optiks_proofs_run(_handle), nameof(Interop.optiks_proofs_run));

    /// <summary>
    /// WriteLookups appends the vector <c>lookups&lt;1..2^32-1&gt;</c> of a LookupAnswer, length first: one Lookup for each key. The known arrays say what each asker knows already (another period or
    /// version 0: nothing). <paramref name="latest"/>, one for each key, gets their latest versions, 0 for none.
    /// </summary>
    /// <returns>The octets written.</returns>
    public int WriteLookups(ByteStrings keys, ReadOnlySpan<ulong> knownPeriods, ReadOnlySpan<ulong> knownVersions, IBufferWriter<byte> output, Span<ulong> latest)
    {
        int n = DirectoryView.CountLookups(keys, knownPeriods, knownVersions);
        Span<ulong> ends = stackalloc ulong[DirectoryView.MaxKeys];
        var room = new AnswerRoom(output, DirectoryView.VectorPrefixLength, n * DirectoryView.ExpectedLookupLength);
        int status;
        nuint length;
        do
        {
            status = Interop.optiks_proofs_lookup_many(
                _handle, (nuint)n, keys.Blob, keys.Offsets, knownPeriods, knownVersions, room.Span, (nuint)room.Span.Length, out length, ends);
        }
        while (room.Grown(status, length));
        if (status == (int)NativeStatus.Ok)
        {
            room.ReadVersions(ends, latest[..n]);
        }
        return room.Finish(status, length, nameof(Interop.optiks_proofs_lookup_many));
    }

    /// <summary>
    /// WriteVersions appends one Versions structure, for history and monitoring alike, from <paramref name="from"/> >= 1 on. At most <paramref name="maxMembers"/> members and about
    /// <paramref name="maxOctets"/> octets, but at least one member; beyond that the answer is a page.
    /// </summary>
    /// <returns>The octets written.</returns>
    public int WriteVersions(ReadOnlySpan<byte> key, ulong from, uint maxMembers, int maxOctets, IBufferWriter<byte> output)
    {
        ArgumentNullException.ThrowIfNull(output);
        var room = new AnswerRoom(output, 0, DirectoryView.ExpectedVersionsLength);
        int status;
        nuint length;
        do
        {
            status = Interop.optiks_proofs_versions(
                _handle, key, (nuint)key.Length, from, maxMembers, (nuint)maxOctets, room.Span, (nuint)room.Span.Length, out length);
        }
        while (room.Grown(status, length));
        return room.Finish(status, length, nameof(Interop.optiks_proofs_versions));
    }

    /// <summary>
    /// WriteUsers appends a UserLookupAnswer but for its head (docs/spec/users.md). Nothing is written when a client is ahead, or when there is more than one query and the answer would show more than
    /// <paramref name="maxEntries"/> entries: the summary says so.
    /// </summary>
    /// <param name="queries">A UserQueryList (docs/spec/rest.md section 4); <see cref="NativeStatus.Argument"/> for what is none.</param>
    /// <param name="maxEntries">Of an answer about several users.</param>
    /// <param name="output">Where the answer goes.</param>
    /// <param name="summary">What was written.</param>
    /// <returns>The octets written.</returns>
    public int WriteUsers(ReadOnlySpan<byte> queries, int maxEntries, IBufferWriter<byte> output, out UsersSummary summary)
    {
        ArgumentNullException.ThrowIfNull(output);
        var room = new AnswerRoom(output, 0, DirectoryView.ExpectedUsersLength);
        int status;
        nuint length;
        Interop.UsersSummary native;
        do
        {
            status = Interop.optiks_proofs_users(
                _handle, queries, (nuint)queries.Length, (ulong)maxEntries, room.Span, (nuint)room.Span.Length, out length, out native);
        }
        while (room.Grown(status, length));
        int written = room.Finish(status, length, nameof(Interop.optiks_proofs_users));
        summary = UsersSummary.Of(native);
        return written;
    }

    /// <summary>WriteUserMonitor appends a UserMonitorAnswer but for its head (docs/spec/user-monitor.md). Nothing is written when the summary says that it is unanswered.</summary>
    /// <param name="query">A UserMonitorQuery (docs/spec/rest.md section 4); <see cref="NativeStatus.Argument"/> for what is none.</param>
    /// <param name="page">Bounds of the answer.</param>
    /// <param name="output">Where the answer goes.</param>
    /// <param name="summary">What was written.</param>
    /// <returns>The octets written.</returns>
    public int WriteUserMonitor(ReadOnlySpan<byte> query, UserMonitorPage page, IBufferWriter<byte> output, out UserMonitorSummary summary)
    {
        ArgumentNullException.ThrowIfNull(output);
        Interop.UserMonitorPage bounds = page.ToNative();
        var room = new AnswerRoom(output, 0, DirectoryView.ExpectedVersionsLength);
        int status;
        nuint length;
        Interop.UserMonitorSummary native;
        do
        {
            status = Interop.optiks_proofs_user_monitor(
                _handle, query, (nuint)query.Length, in bounds, room.Span, (nuint)room.Span.Length, out length, out native);
        }
        while (room.Grown(status, length));
        int written = room.Finish(status, length, nameof(Interop.optiks_proofs_user_monitor));
        summary = UserMonitorSummary.Of(native);
        return written;
    }

    /// <inheritdoc/>
    public void Dispose() => _handle.Dispose();
}
