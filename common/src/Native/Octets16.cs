using System.Runtime.CompilerServices;

namespace Optiks.Native;

/// <summary>Octets16 is 16 octets in place, for structs that the C ABI shares.</summary>
[InlineArray(16)]
public struct Octets16
{
    private byte _first;
}
