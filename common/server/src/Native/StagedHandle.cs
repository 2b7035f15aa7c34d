using Microsoft.Win32.SafeHandles;

namespace Optiks.Native;

/// <summary>Owns an <c>optiks_staged_t</c> and keeps alive the directory into which it points.</summary>
internal sealed class StagedHandle : SafeHandleZeroOrMinusOneIsInvalid
{
    private readonly DirectoryHandle _directory;

    public StagedHandle(nint handle, DirectoryHandle directory)
        : base(ownsHandle: true)
    {
        bool added = false;
        directory.DangerousAddRef(ref added);
        _directory = directory;
        SetHandle(handle);
    }

    /// <summary>Makes the staged epoch current. After a success the native library has freed the handle's object.</summary>
    public int Commit()
    {
        int status = DirectoryInterop.optiks_staged_commit(handle);
        if (status == 0)
        {
            SetHandleAsInvalid();
            _directory.DangerousRelease();
        }
        return status;
    }

    protected override bool ReleaseHandle()
    {
        DirectoryInterop.optiks_staged_destroy(handle);
        _directory.DangerousRelease();
        return true;
    }
}
