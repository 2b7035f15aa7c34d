using Microsoft.Win32.SafeHandles;

namespace Optiks.Native;

/// <summary>ProofsHandle owns an <c>optiks_proofs_t</c> and keeps its snapshot alive, into which it points.</summary>
internal sealed class ProofsHandle : SafeHandleZeroOrMinusOneIsInvalid
{
    private readonly SnapshotHandle _snapshot;

    public ProofsHandle(nint handle, SnapshotHandle snapshot)
        : base(ownsHandle: true)
    {
        bool added = false;
        snapshot.DangerousAddRef(ref added);
        _snapshot = snapshot;
        SetHandle(handle);
    }

    protected override bool ReleaseHandle()
    {
        Interop.optiks_proofs_destroy(handle);
        _snapshot.DangerousRelease();
        return true;
    }
}
