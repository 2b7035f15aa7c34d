using Microsoft.Win32.SafeHandles;

namespace Optiks.Native;

/// <summary>Owns an <c>optiks_proofs_t</c> and keeps alive the view into which it points.</summary>
internal sealed class ProofsHandle : SafeHandleZeroOrMinusOneIsInvalid
{
    private readonly ViewHandle _view;

    public ProofsHandle(nint handle, ViewHandle view)
        : base(ownsHandle: true)
    {
        bool added = false;
        view.DangerousAddRef(ref added);
        _view = view;
        SetHandle(handle);
    }

    protected override bool ReleaseHandle()
    {
        DirectoryInterop.optiks_proofs_destroy(handle);
        _view.DangerousRelease();
        return true;
    }
}
