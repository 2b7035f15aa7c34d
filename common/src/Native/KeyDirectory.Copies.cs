using Optiks.Protocol;

namespace Optiks.Native;

/// <content>A directory whose period has not begun: of a later period than the first, and with a first epoch of 0 in its options (docs/spec/periods.md section 2). Linked mode only.</content>
public sealed partial class KeyDirectory
{
    /// <summary>
    /// PrepareCopies makes rows of the latest versions of keys of the period before, of devices or keys, for a directory whose period has not begun; of version 0, which has no value, a row that takes the key out again.
    /// In ordinal order, each with the index of its key and its value's offset in <paramref name="values"/>, and as version the one that is copied. Changes nothing. A key twice is <see cref="NativeStatus.Duplicate"/>.
    /// Beside the writer: any thread, one at a time.
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
    /// LoadCopies takes such rows, in any order and any number of calls, before the period begins. The last one of a key counts; the value of a copy that it takes the place of is gone on return. Rows that are none, or
    /// contradict others, are <see cref="NativeStatus.Data"/> or <see cref="NativeStatus.Duplicate"/>, and then none of the call was taken. Writer only.
    /// </summary>
    public void LoadCopies(ReadOnlySpan<LeafRow> copies, ReadOnlySpan<byte> values) =>
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_dir_load_copies(_handle, copies, (nuint)copies.Length, values, (nuint)values.Length), nameof(Interop.optiks_dir_load_copies));

    /// <summary>
    /// EraseCopies erases as <see cref="Erase"/> does, before the period begins and after. A key's rows of copies have one label, and the last of them is its leaf: a row whose commitment (<see cref="Lengths.Hash"/> octets each) the
    /// leaf does not have was superseded, with its value, and is passed over. Writer only.
    /// </summary>
    public void EraseCopies(ReadOnlySpan<StructureId> structures, ReadOnlySpan<byte> labels, ReadOnlySpan<byte> commitments)
    {
        CheckLength(labels.Length, (long)Lengths.Hash * structures.Length, nameof(labels));
        CheckLength(commitments.Length, labels.Length, nameof(commitments));
        // Without commitments the call is another one.
        if (structures.Length > 0)
        {
            OptiksNativeException.ThrowIfFailed(
                Interop.optiks_dir_erase(_handle, (nuint)structures.Length, Octets(structures), labels, commitments), nameof(Interop.optiks_dir_erase));
        }
    }

    /// <summary>
    /// StartPeriod stages the first epoch of the directory's period: its devices and keys are the copies, and <paramref name="leaves"/> are of usernames and decommissioned alone. The period has begun when it is
    /// committed; when it is disposed the directory is as it was, and may begin with a later epoch. Writer only.
    /// </summary>
    public StagedEpoch StartPeriod(ulong epoch, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values, bool withProofs)
    {
        int status = Interop.optiks_dir_start_period(
            _handle, epoch, leaves, (nuint)leaves.Length, values, (nuint)values.Length, withProofs ? 1 : 0, out nint staged);
        OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_dir_start_period));
        return new StagedEpoch(epoch, new StagedHandle(staged, _handle));
    }
}
