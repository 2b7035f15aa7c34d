using System.Runtime.CompilerServices;

namespace Optiks.Native;

/// <summary>Stores 32 bytes inline, for structs that the C ABI shares.</summary>
[InlineArray(32)]
public struct Octets32
{
    private byte _first;
}
