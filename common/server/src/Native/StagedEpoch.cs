using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>
/// Holds the next epoch of a <see cref="KeyDirectory"/>, built next to the current epoch. Only the directory's writer may use it. Disposing
/// an uncommitted epoch discards it.
/// </summary>
public sealed class StagedEpoch : IDisposable
{
    private readonly StagedHandle _handle;

    internal StagedEpoch(ulong epoch, StagedHandle handle)
    {
        Epoch = epoch;
        _handle = handle;
    }

    /// <summary>The staged epoch's number.</summary>
    public ulong Epoch { get; }

    /// <summary>Returns the roots, counts and VRF public keys of the staged epoch.</summary>
    public StructureState[] States()
    {
        Span<byte> octets = stackalloc byte[StructureState.TotalLength];
        OptiksNativeException.ThrowIfFailed(
            DirectoryInterop.optiks_staged_states(_handle, octets), nameof(DirectoryInterop.optiks_staged_states));
        return StructureState.DecodeAll(octets);
    }

    /// <summary>
    /// Returns the AppendProof structures (docs/spec/proofs.md section 5) of the step from the current epoch to the staged epoch, one after
    /// another. The epoch must have been staged with proofs.
    /// </summary>
    public byte[] AppendProofs()
    {
        int status = DirectoryInterop.optiks_staged_append_proofs(_handle, [], 0, out nuint length);
        if (status != (int)NativeStatus.Buffer)
        {
            OptiksNativeException.ThrowIfFailed(status, nameof(DirectoryInterop.optiks_staged_append_proofs));
        }
        byte[] proofs = new byte[checked((int)length)];
        OptiksNativeException.ThrowIfFailed(
            DirectoryInterop.optiks_staged_append_proofs(_handle, proofs, length, out _),
            nameof(DirectoryInterop.optiks_staged_append_proofs));
        return proofs;
    }

    /// <summary>
    /// Makes the staged epoch the directory's current epoch. The call first writes the epoch's values to the leaf log. If the write fails
    /// (<see cref="NativeStatus.Io"/>), the old epoch stays current and the new epoch stays staged.
    /// </summary>
    public void Commit()
    {
        ObjectDisposedException.ThrowIf(_handle.IsClosed || _handle.IsInvalid, this);
        OptiksNativeException.ThrowIfFailed(_handle.Commit(), nameof(DirectoryInterop.optiks_staged_commit));
    }

    /// <inheritdoc/>
    public void Dispose() => _handle.Dispose();
}
