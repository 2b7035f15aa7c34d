using System.Runtime.CompilerServices;
using System.Text;

namespace Optiks.Native;

/// <summary>
/// Checks that the liboptiks next to the program is the version that the program was built for. Programs make this check at start-up, so
/// that a wrong library is not found only at the first request.
/// </summary>
public static class NativeLibraryCheck
{
    /// <summary>
    /// Loads liboptiks, checks its ABI version and the size of every struct that the verifier shares with it, and checks that the processor
    /// can run the kernel that OPTIKS_FORCE_KERNEL names. Throws <see cref="NativeLibraryException"/> if one of these checks fails. Any
    /// thread may call this method, any number of times.
    /// </summary>
    public static void Ensure() => Ensure(() => { });

    /// <summary>Also runs the given checks (<paramref name="more"/>), after the check of the ABI version.</summary>
    internal static void Ensure(Action more)
    {
        try
        {
            uint version = Interop.optiks_abi_version();
            if (version != Abi.Version)
            {
                throw new NativeLibraryException(
                    $"liboptiks has ABI version {version}, this program needs {Abi.Version}: install the liboptiks of the same build.");
            }
            more();
            CheckSize<Interop.Anchor>("optiks_anchor_t");
            CheckSize<Interop.Context>("optiks_context_t");
            CheckSize<Interop.Known>("optiks_known_t");
            CheckSize<Interop.End>("optiks_end_t");
            CheckSize<Interop.HeadResult>("optiks_head_result_t");
            CheckSize<Interop.LookupResult>("optiks_lookup_result_t");
            CheckSize<Interop.VersionEntry>("optiks_version_entry_t");
            CheckSize<Interop.VersionsResult>("optiks_versions_result_t");
            CheckSize<Interop.UserState>("optiks_user_state_t");
            CheckSize<Interop.UserResult>("optiks_user_result_t");
            CheckSize<Interop.DeviceResult>("optiks_device_result_t");
            CheckSize<Interop.OwnKeyResult>("optiks_own_key_result_t");
            CheckSize<Interop.VersionsVerdict>("optiks_versions_verdict_t");
            CheckSize<Interop.UsersVerdict>("optiks_users_verdict_t");
            CheckSize<Interop.UserMonitorVerdict>("optiks_user_monitor_verdict_t");
            CheckKernel();
        }
        catch (DllNotFoundException e)
        {
            throw new NativeLibraryException(
                $"liboptiks is missing from the program's folder ({AppContext.BaseDirectory}): run 'make native' and build again.", e);
        }
        catch (BadImageFormatException e)
        {
            throw new NativeLibraryException(
                $"liboptiks in the program's folder ({AppContext.BaseDirectory}) is for another processor: build it on this machine with 'make native'.", e);
        }
        catch (EntryPointNotFoundException e)
        {
            throw new NativeLibraryException(
                "liboptiks lacks a function that this program needs: install the liboptiks of the same build.", e);
        }
    }

    // Checks that the kernel that OPTIKS_FORCE_KERNEL names exists and can run on this processor.
    private static void CheckKernel()
    {
        Span<byte> name = stackalloc byte[32];
        if (Interop.optiks_kernel(name, (nuint)name.Length, out _) != (int)NativeStatus.Ok)
        {
            throw new NativeLibraryException(OptiksNativeException.LastErrorText());
        }
    }

    /// <summary>Throws <see cref="NativeLibraryException"/> unless liboptiks' struct of this name has the size of this program's
    /// struct.</summary>
    internal static unsafe void CheckSize<T>(string name)
        where T : unmanaged
    {
        nuint actual;
        fixed (byte* text = Encoding.UTF8.GetBytes(name + '\0'))
        {
            actual = Interop.optiks_sizeof(text);
        }
        if (actual != (nuint)Unsafe.SizeOf<T>())
        {
            throw new NativeLibraryException(
                $"liboptiks has {name} with {actual} bytes, this program with {Unsafe.SizeOf<T>()}: install the liboptiks of the same build.");
        }
    }
}
