using Microsoft.Win32.SafeHandles;

namespace Optiks.Native;

/// <summary>Owns an <c>optiks_view_t</c>, which may outlive its directory. All readers of an epoch share one handle.</summary>
internal sealed class ViewHandle : SafeHandleZeroOrMinusOneIsInvalid
{
    public ViewHandle(nint handle)
        : base(ownsHandle: true)
    {
        SetHandle(handle);
    }

    protected override bool ReleaseHandle()
    {
        DirectoryInterop.optiks_view_destroy(handle);
        return true;
    }
}
