using Microsoft.Win32.SafeHandles;

namespace Optiks.Native;

/// <summary>Owns an <c>optiks_dir_t</c>.</summary>
internal sealed class DirectoryHandle : SafeHandleZeroOrMinusOneIsInvalid
{
    public DirectoryHandle(nint handle)
        : base(ownsHandle: true)
    {
        SetHandle(handle);
    }

    protected override bool ReleaseHandle()
    {
        DirectoryInterop.optiks_dir_destroy(handle);
        return true;
    }
}
