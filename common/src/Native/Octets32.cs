using System.Runtime.CompilerServices;

namespace Optiks.Native;

/// <summary>Octets32 is 32 octets in place, for structs that the C ABI shares.</summary>
[InlineArray(32)]
public struct Octets32
{
    private byte _first;
}
