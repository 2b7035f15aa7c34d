using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

[assembly: DisableRuntimeMarshalling]

namespace Optiks.Native;

/// <summary>
/// Interop is what the wrappers call of ozks/include/optiks/optiks.h, under the same names, a partial file per section. Thin: no checks, no conversions. Everything else goes
/// through the wrappers, which keep the header's contract.
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
