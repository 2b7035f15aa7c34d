using Optiks.Protocol;

namespace Optiks.Native;

/// <content> Prepares a directory whose period has not begun: the period is not the first, and the options give 0 as its first epoch
/// (docs/spec/periods.md section 2). Linked mode only. </content>
public sealed partial class KeyDirectory
{
    /// <summary>
    /// Makes copies for a directory whose period has not begun. Each key of devices or keys gets one row, from its latest version in the
    /// period before. For a key whose version is given as 0, and which has no value, the call makes a row that removes the key again. The
    /// rows are in ordinal order. Each row has the index of its key, its value's offset in <paramref name="values"/>, and the copied
    /// version. The call does not change the directory. Throws with <see cref="NativeStatus.Duplicate"/> if a key occurs twice. Any thread,
    /// one at a time, also while the writer works.
    /// </summary>
    public void PrepareCopies(ReadOnlySpan<StructureId> structures, ByteStrings keys, ReadOnlySpan<ulong> versions, ByteStrings values, Span<LeafRow> copies)
    {
        CheckBatch(structures, keys);
        CheckLength(versions.Length, keys.Count, nameof(versions));
        CheckLength(values.Count, keys.Count, nameof(values));
        CheckLength(copies.Length, keys.Count, nameof(copies));
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_dir_prepare_copies(_handle, (nuint)keys.Count, Octets(structures), keys.Blob, keys.Offsets, versions, values.Blob, values.Offsets, copies),
            nameof(Interop.optiks_dir_prepare_copies));
    }

    /// <summary>
    /// Loads rows that <see cref="PrepareCopies"/> made, before the period begins, in any order and any number of calls. The last row of a
    /// key counts; the value of the copy that this row replaces is gone on return. Throws with <see cref="NativeStatus.Data"/> or
    /// <see cref="NativeStatus.Duplicate"/> if rows are invalid or contradict other rows. It has then loaded no row of the call. Writer
    /// only.
    /// </summary>
    public void LoadCopies(ReadOnlySpan<LeafRow> copies, ReadOnlySpan<byte> values) =>
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_dir_load_copies(_handle, copies, (nuint)copies.Length, values, (nuint)values.Length), nameof(Interop.optiks_dir_load_copies));

    /// <summary>
    /// Erases values as <see cref="Erase"/> does, both before and after the period begins. A key's copies share one label, and the last of
    /// them is the key's leaf. A row whose commitment (<see cref="Lengths.Hash"/> bytes each) differs from the leaf's was superseded
    /// together with its value, so the call skips it. Writer only.
    /// </summary>
    public void EraseCopies(ReadOnlySpan<StructureId> structures, ReadOnlySpan<byte> labels, ReadOnlySpan<byte> commitments)
    {
        CheckLength(labels.Length, (long)Lengths.Hash * structures.Length, nameof(labels));
        CheckLength(commitments.Length, labels.Length, nameof(commitments));
        // If the arrays are empty, nothing is called: without commitments, the native call would act as Erase.
        if (structures.Length > 0)
        {
            OptiksNativeException.ThrowIfFailed(
                Interop.optiks_dir_erase(_handle, (nuint)structures.Length, Octets(structures), labels, commitments), nameof(Interop.optiks_dir_erase));
        }
    }

    /// <summary>
    /// Stages the first epoch of the directory's period. Its devices and keys are the copies; <paramref name="leaves"/> contains only
    /// usernames and decommissioned leaves. Committing the staged epoch begins the period. Disposing the staged epoch leaves the directory
    /// as it was, so that the period may begin with a later epoch. Writer only.
    /// </summary>
    public StagedEpoch StartPeriod(ulong epoch, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values, bool withProofs)
    {
        int status = Interop.optiks_dir_start_period(
            _handle, epoch, leaves, (nuint)leaves.Length, values, (nuint)values.Length, withProofs ? 1 : 0, out nint staged);
        OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_dir_start_period));
        return new StagedEpoch(epoch, new StagedHandle(staged, _handle));
    }
}
