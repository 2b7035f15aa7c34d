using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>
/// Holds one stored leaf with the same bytes as <c>optiks_leaf_t</c>. Callers pass batches of rows to the native library and to bulk
/// inserts as flat arrays, without an object for each leaf. The rows of an epoch are in ordinal order, sorted by (structure, label). A row
/// contains neither the key nor the value. It contains the opening, which is private to the operator.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
public struct LeafRow
{
    /// <summary>The length of a row in bytes.</summary>
    public const int Length = 128;

    /// <summary>The number that <see cref="ValueOffset"/> has if the leaf's value was erased or is not available.</summary>
    public const ulong NoValue = ulong.MaxValue;

    private const int StructureShift = 28;
    private const uint InputMask = (1u << StructureShift) - 1;

    // The members are in the same order as in `optiks_leaf_t`.
    private Octets32 _label;
    private Octets32 _commitment;
    private Octets16 _tag;
    private Octets16 _opening;

    /// <summary>The epoch that inserted the leaf.</summary>
    public ulong Epoch;

    /// <summary>The key's version, 1, 2, ...; 0 in a structure without versions (an oZKS).</summary>
    public ulong Version;

    /// <summary>The offset of the value in the blob with the values of all rows, or <see cref="NoValue"/>.</summary>
    public ulong ValueOffset;

    /// <summary>The length of the value in bytes.</summary>
    public uint ValueLength;

    private uint _structureAndInput;

    /// <summary>The label, 32 bytes.</summary>
    public ReadOnlySpan<byte> Label
    {
        [UnscopedRef]
        readonly get => _label;
        set => Set(value, _label);
    }

    /// <summary>The commitment to the value, 32 bytes.</summary>
    public ReadOnlySpan<byte> Commitment
    {
        [UnscopedRef]
        readonly get => _commitment;
        set => Set(value, _commitment);
    }

    /// <summary>The tag of the leaf's key, 16 bytes. It is a keyed hash of structure and key, which represents the key in stored
    /// leaves.</summary>
    public ReadOnlySpan<byte> Tag
    {
        [UnscopedRef]
        readonly get => _tag;
        set => Set(value, _tag);
    }

    /// <summary>The opening of the commitment, 16 bytes; zero if the value was erased.</summary>
    public ReadOnlySpan<byte> Opening
    {
        [UnscopedRef]
        readonly get => _opening;
        set => Set(value, _opening);
    }

    /// <summary>The structure to which the leaf belongs.</summary>
    public StructureId Structure
    {
        readonly get => (StructureId)(_structureAndInput >> StructureShift);
        set => _structureAndInput = ((uint)value << StructureShift) | (_structureAndInput & InputMask);
    }

    /// <summary>The index of the leaf's update in the input of the call that prepared the leaf, or 0 for other leaves. The index is below
    /// 2^28.</summary>
    public int InputIndex
    {
        readonly get => (int)(_structureAndInput & InputMask);
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)value, InputMask);
            _structureAndInput = (_structureAndInput & ~InputMask) | (uint)value;
        }
    }

    private static void Set(ReadOnlySpan<byte> value, Span<byte> field)
    {
        if (value.Length != field.Length)
        {
            throw new ArgumentException($"The field has {field.Length} bytes, not {value.Length}.", nameof(value));
        }
        value.CopyTo(field);
    }
}
