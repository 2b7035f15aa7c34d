using System.Buffers;

namespace Optiks.Native;

/// <summary>
/// Makes the VRF proofs for several answers from one view, about users and about the keys of one structure. One batch takes much less time
/// than separate calls. The caller adds the queries, calls <see cref="Run"/> and writes the answers. If the batch lacks a proof, the call
/// that writes the answer makes the proof. Only one thread at a time may use a batch. If adding or running fails, the caller may only
/// dispose the batch.
/// </summary>
public sealed class ProofBatch : IDisposable
{
    private readonly ProofsHandle _handle;

    internal ProofBatch(ProofsHandle handle)
    {
        _handle = handle;
    }

    /// <summary>Adds to the batch the proofs that <see cref="WriteLookups"/> will need.</summary>
    public void AddLookups(ByteStrings keys, ReadOnlySpan<ulong> knownPeriods, ReadOnlySpan<ulong> knownVersions)
    {
        int n = DirectoryView.CountLookups(keys, knownPeriods, knownVersions);
        OptiksNativeException.ThrowIfFailed(
            DirectoryInterop.optiks_proofs_add_lookups(_handle, (nuint)n, keys.Blob, keys.Offsets, knownPeriods, knownVersions),
            nameof(DirectoryInterop.optiks_proofs_add_lookups));
    }

    /// <summary>Adds to the batch the first proofs that <see cref="WriteVersions"/> will need. Most answers need no further
    /// proofs.</summary>
    public void AddVersions(ReadOnlySpan<byte> key, ulong from, uint maxMembers) =>
        OptiksNativeException.ThrowIfFailed(
            DirectoryInterop.optiks_proofs_add_versions(_handle, key, (nuint)key.Length, from, maxMembers),
            nameof(DirectoryInterop.optiks_proofs_add_versions));

    /// <summary>Adds to the batch the proofs that <see cref="WriteUsers"/> will need.</summary>
    public void AddUsers(ReadOnlySpan<byte> queries, int maxEntries) =>
        OptiksNativeException.ThrowIfFailed(
            DirectoryInterop.optiks_proofs_add_users(_handle, queries, (nuint)queries.Length, (ulong)maxEntries),
            nameof(DirectoryInterop.optiks_proofs_add_users));

    /// <summary>Adds to the batch the proofs that <see cref="WriteUserMonitor"/> will need.</summary>
    public void AddUserMonitor(ReadOnlySpan<byte> query, UserMonitorPage page)
    {
        DirectoryInterop.UserMonitorPage native = page.ToNative();
        OptiksNativeException.ThrowIfFailed(
            DirectoryInterop.optiks_proofs_add_user_monitor(_handle, query, (nuint)query.Length, in native),
            nameof(DirectoryInterop.optiks_proofs_add_user_monitor));
    }

    /// <summary>Makes the added proofs that are not cached.</summary>
    public void Run() =>
        OptiksNativeException.ThrowIfFailed(DirectoryInterop.optiks_proofs_run(_handle), nameof(DirectoryInterop.optiks_proofs_run));

    /// <summary>
    /// Appends the vector <c>lookups&lt;1..2^32-1&gt;</c> of a LookupAnswer with its length prefix; the vector has one Lookup for each key.
    /// <paramref name="knownPeriods"/> and <paramref name="knownVersions"/> hold the version of each key that the client knows. If the
    /// version is 0 or the period is not the view's, the client knows no version. The call writes each key's latest version to the
    /// parameter <paramref name="latest"/>, or 0 if the key has no version.
    /// </summary>
    /// <returns>The number of bytes written.</returns>
    public int WriteLookups(ByteStrings keys, ReadOnlySpan<ulong> knownPeriods, ReadOnlySpan<ulong> knownVersions,
        IBufferWriter<byte> output, Span<ulong> latest)
    {
        int n = DirectoryView.CountLookups(keys, knownPeriods, knownVersions);
        Span<ulong> ends = stackalloc ulong[DirectoryView.MaxKeys];
        var room = new AnswerRoom(output, DirectoryView.VectorPrefixLength, n * DirectoryView.ExpectedLookupLength);
        int status;
        nuint length;
        do
        {
            status = DirectoryInterop.optiks_proofs_lookup_many(
                _handle, (nuint)n, keys.Blob, keys.Offsets, knownPeriods, knownVersions, room.Span, (nuint)room.Span.Length,
                out length, ends);
        }
        while (room.Grown(status, length));
        if (status == (int)NativeStatus.Ok)
        {
            room.ReadVersions(ends, latest[..n]);
        }
        return room.Finish(status, length, nameof(DirectoryInterop.optiks_proofs_lookup_many));
    }

    /// <summary>
    /// Appends one Versions structure, for a history or a monitoring answer. The parameter <paramref name="from"/> is the version of its
    /// first member and must be at least 1. The structure has at least one member, at most <paramref name="maxMembers"/> members and about
    /// <paramref name="maxOctets"/> bytes. If the key has more versions, the structure is a page.
    /// </summary>
    /// <returns>The number of bytes written.</returns>
    public int WriteVersions(ReadOnlySpan<byte> key, ulong from, uint maxMembers, int maxOctets, IBufferWriter<byte> output)
    {
        ArgumentNullException.ThrowIfNull(output);
        var room = new AnswerRoom(output, 0, DirectoryView.ExpectedVersionsLength);
        int status;
        nuint length;
        do
        {
            status = DirectoryInterop.optiks_proofs_versions(
                _handle, key, (nuint)key.Length, from, maxMembers, (nuint)maxOctets, room.Span, (nuint)room.Span.Length, out length);
        }
        while (room.Grown(status, length));
        return room.Finish(status, length, nameof(DirectoryInterop.optiks_proofs_versions));
    }

    /// <summary>
    /// Appends a UserLookupAnswer without its head (docs/spec/users.md). Writes nothing if a client already knows a later version than the
    /// view has, or if an answer to several queries would show more than <paramref name="maxEntries"/> entries. In both cases the parameter
    /// <paramref name="summary"/> gives the reason.
    /// </summary>
    /// <param name="queries">A UserQueryList (docs/spec/rest.md section 4). If it is not well formed, the call throws with
    /// <see cref="NativeStatus.Argument"/>.</param>
    /// <param name="maxEntries">The highest number of entries in an answer about several users.</param>
    /// <param name="output">The writer that receives the answer.</param>
    /// <param name="summary">A summary of the answer.</param>
    /// <returns>The number of bytes written.</returns>
    public int WriteUsers(ReadOnlySpan<byte> queries, int maxEntries, IBufferWriter<byte> output, out UsersSummary summary)
    {
        ArgumentNullException.ThrowIfNull(output);
        var room = new AnswerRoom(output, 0, DirectoryView.ExpectedUsersLength);
        int status;
        nuint length;
        DirectoryInterop.UsersSummary native;
        do
        {
            status = DirectoryInterop.optiks_proofs_users(
                _handle, queries, (nuint)queries.Length, (ulong)maxEntries, room.Span, (nuint)room.Span.Length, out length, out native);
        }
        while (room.Grown(status, length));
        int written = room.Finish(status, length, nameof(DirectoryInterop.optiks_proofs_users));
        summary = UsersSummary.From(native);
        return written;
    }

    /// <summary>
    /// Appends a UserMonitorAnswer without its head (docs/spec/user-monitor.md). Writes nothing if the summary gives a reason not to
    /// answer.
    /// </summary>
    /// <param name="query">A UserMonitorQuery (docs/spec/rest.md section 4). If it is not well formed, the call throws with
    /// <see cref="NativeStatus.Argument"/>.</param>
    /// <param name="page">The bounds on the answer's size.</param>
    /// <param name="output">The writer that receives the answer.</param>
    /// <param name="summary">A summary of the answer.</param>
    /// <returns>The number of bytes written.</returns>
    public int WriteUserMonitor(ReadOnlySpan<byte> query, UserMonitorPage page, IBufferWriter<byte> output, out UserMonitorSummary summary)
    {
        ArgumentNullException.ThrowIfNull(output);
        DirectoryInterop.UserMonitorPage bounds = page.ToNative();
        var room = new AnswerRoom(output, 0, DirectoryView.ExpectedVersionsLength);
        int status;
        nuint length;
        DirectoryInterop.UserMonitorSummary native;
        do
        {
            status = DirectoryInterop.optiks_proofs_user_monitor(
                _handle, query, (nuint)query.Length, in bounds, room.Span, (nuint)room.Span.Length, out length, out native);
        }
        while (room.Grown(status, length));
        int written = room.Finish(status, length, nameof(DirectoryInterop.optiks_proofs_user_monitor));
        summary = UserMonitorSummary.From(native);
        return written;
    }

    /// <inheritdoc/>
    public void Dispose() => _handle.Dispose();
}
