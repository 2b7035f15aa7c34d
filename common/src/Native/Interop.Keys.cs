using System.Runtime.InteropServices;

namespace Optiks.Native;

internal static unsafe partial class Interop
{
    [LibraryImport(Library)]
    public static partial int optiks_hash(byte tag, ReadOnlySpan<byte> data, nuint length, Span<byte> hash);

    [LibraryImport(Library)]
    public static partial int optiks_vrf_generate(Span<byte> secret, Span<byte> publicKey);

    [LibraryImport(Library)]
    public static partial int optiks_vrf_public(ReadOnlySpan<byte> secret, Span<byte> publicKey);

    [LibraryImport(Library)]
    public static partial int optiks_username_prepare(
        ReadOnlySpan<byte> name, nuint length, nuint maxLength, out int fault, Span<byte> form, nuint capacity, out nuint formLength);

    [LibraryImport(Library)]
    public static partial int optiks_vrf_validate(ReadOnlySpan<byte> publicKey);

    [LibraryImport(Library)]
    public static partial int optiks_vrf_verify(
        ReadOnlySpan<byte> publicKey, ReadOnlySpan<byte> alpha, nuint alphaLength, ReadOnlySpan<byte> proof, out int reason,
        Span<byte> label);

    [LibraryImport(Library)]
    public static partial int optiks_ed25519_public(ReadOnlySpan<byte> seed, Span<byte> publicKey);

    [LibraryImport(Library)]
    public static partial int optiks_ed25519_sign(ReadOnlySpan<byte> seed, ReadOnlySpan<byte> message, nuint length, Span<byte> signature);

    [LibraryImport(Library)]
    public static partial int optiks_ed25519_verify(
        ReadOnlySpan<byte> publicKey, ReadOnlySpan<byte> message, nuint length, ReadOnlySpan<byte> signature, out int ok);
}
