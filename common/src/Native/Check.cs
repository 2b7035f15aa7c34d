using System.Runtime.CompilerServices;

namespace Optiks.Native;

/// <summary>Checks the lengths of arguments that the C ABI cannot check itself.</summary>
internal static class Check
{
    public static void Length(ReadOnlySpan<byte> octets, int expected, [CallerArgumentExpression(nameof(octets))] string name = "")
    {
        if (octets.Length != expected)
        {
            throw new ArgumentException($"{expected} bytes are needed, not {octets.Length}.", name);
        }
    }
}
