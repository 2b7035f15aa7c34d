using System.Runtime.CompilerServices;

namespace Optiks.Native;

/// <summary>Stores 16 bytes inline, for structs that the C ABI shares.</summary>
[InlineArray(16)]
public struct Octets16
{
    private byte _first;
}
