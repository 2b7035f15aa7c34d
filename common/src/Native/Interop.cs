using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

[assembly: DisableRuntimeMarshalling]

namespace Optiks.Native;

/// <summary>
/// Declares the functions of ozks/include/optiks/optiks.h that the wrappers call, under the same names. Each section of the header has its
/// own partial file. It contains declarations only, without checks or conversions. All other code calls the wrappers, which keep the
/// header's contract.
/// </summary>
internal static unsafe partial class Interop
{
    private const string Library = "optiks";

    [LibraryImport(Library)]
    public static partial uint optiks_abi_version();

    [LibraryImport(Library)]
    public static partial nuint optiks_sizeof(byte* name);

    [LibraryImport(Library)]
    public static partial int optiks_kernel(Span<byte> text, nuint capacity, out nuint length);

    [LibraryImport(Library)]
    public static partial void optiks_last_error(byte* text, nuint capacity);

    [LibraryImport(Library)]
    public static partial int optiks_reason_name(int reason, Span<byte> text, nuint capacity, out nuint length);

    [LibraryImport(Library)]
    public static partial void optiks_zeroize(Span<byte> memory, nuint length);
}
