using Optiks.Protocol;

namespace Optiks.Native;

/// <content> Prepares a directory whose period has not begun. Such a directory was made with options in which the period is above 0 and the
/// period's first epoch is 0 (docs/spec/periods.md section 2). </content>
public sealed partial class KeyDirectory
{
    /// <summary>
    /// Makes one row of <paramref name="copies"/> for each given key, for a directory whose period has not begun. The keys must be keys of
    /// the structures <c>devices</c> and <c>keys</c>. A row is a copy of the key's latest version in the previous period; the caller gives
    /// this version and its value. If the given version is 0 and the value is empty, the row instead removes an earlier copy of the key.
    /// The rows are sorted by structure and label. Each row has the index of its key, the offset of its value in <paramref name="values"/>,
    /// and the copied version. The call does not change the directory. Throws with <see cref="NativeStatus.Duplicate"/> if a key occurs
    /// twice. Any thread may call this method, even while the writer works, but only one thread at a time.
    /// </summary>
    public void PrepareCopies(
        ReadOnlySpan<StructureId> structures, ByteStrings keys, ReadOnlySpan<ulong> versions, ByteStrings values, Span<LeafRow> copies)
    {
        CheckBatch(structures, keys);
        CheckLength(versions.Length, keys.Count, nameof(versions));
        CheckLength(values.Count, keys.Count, nameof(values));
        CheckLength(copies.Length, keys.Count, nameof(copies));
        OptiksNativeException.ThrowIfFailed(
            DirectoryInterop.optiks_dir_prepare_copies(
                _handle, (nuint)keys.Count, Octets(structures), keys.Blob, keys.Offsets, versions, values.Blob, values.Offsets, copies),
            nameof(DirectoryInterop.optiks_dir_prepare_copies));
    }

    /// <summary>
    /// Loads rows that <see cref="PrepareCopies"/> made, before the period begins. The rows may come in any order and in any number of
    /// calls. If a key has several rows, the last row counts; the values of the earlier rows are gone when the call returns. Throws with
    /// <see cref="NativeStatus.Data"/> or <see cref="NativeStatus.Duplicate"/> if rows are invalid or contradict other rows; the failed
    /// call has then loaded no row. In stored mode, only <see cref="EndLoad"/> puts the rows into the trees, removes the values of earlier
    /// rows, and finds contradictions between rows of several calls. Only the writer may call this method.
    /// </summary>
    public void LoadCopies(ReadOnlySpan<LeafRow> copies, ReadOnlySpan<byte> values) =>
        OptiksNativeException.ThrowIfFailed(
            DirectoryInterop.optiks_dir_load_copies(_handle, copies, (nuint)copies.Length, values, (nuint)values.Length),
            nameof(DirectoryInterop.optiks_dir_load_copies));

    /// <summary>
    /// Erases the values of copies, as <see cref="Erase"/> erases the values of other leaves. The period may have begun or not. Each copy
    /// is given by its structure, label and commitment (<see cref="Lengths.Hash"/> bytes). All copies of a key have the same label, and the
    /// key's leaf is the last copy. If the given commitment differs from the leaf's commitment, a later copy has already replaced the given
    /// copy together with its value, so the call skips it. Only the writer may call this method.
    /// </summary>
    public void EraseCopies(ReadOnlySpan<StructureId> structures, ReadOnlySpan<byte> labels, ReadOnlySpan<byte> commitments)
    {
        CheckLength(labels.Length, (long)Lengths.Hash * structures.Length, nameof(labels));
        CheckLength(commitments.Length, labels.Length, nameof(commitments));
        // If the arrays are empty, the native function is not called, because it would treat a call without commitments as a call of
        // `Erase`.
        if (structures.Length > 0)
        {
            OptiksNativeException.ThrowIfFailed(
                DirectoryInterop.optiks_dir_erase(_handle, (nuint)structures.Length, Octets(structures), labels, commitments),
                nameof(DirectoryInterop.optiks_dir_erase));
        }
    }

    /// <summary>
    /// Stages the first epoch of the directory's period. The leaves of its structures <c>devices</c> and <c>keys</c> are the copies; the
    /// parameter <paramref name="leaves"/> contains only leaves of the structures <c>usernames</c> and <c>decommissioned</c>. Committing
    /// the staged epoch begins the period. Disposing the staged epoch leaves the directory as it was, so that the period may begin with a
    /// later epoch. Only the writer may call this method.
    /// </summary>
    public StagedEpoch StartPeriod(ulong epoch, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values, bool withProofs)
    {
        int status = DirectoryInterop.optiks_dir_start_period(
            _handle, epoch, leaves, (nuint)leaves.Length, values, (nuint)values.Length, withProofs ? 1 : 0, out nint staged);
        OptiksNativeException.ThrowIfFailed(status, nameof(DirectoryInterop.optiks_dir_start_period));
        return new StagedEpoch(epoch, new StagedHandle(staged, _handle));
    }
}
