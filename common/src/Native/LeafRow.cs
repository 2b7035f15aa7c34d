using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>
/// LeafRow is one stored leaf, octet for octet <c>optiks_leaf_t</c>: batches go to the native library and to bulk inserts as flat arrays,
/// without an object per leaf. The rows of an epoch are in ordinal order, sorted by (structure, label). Holds no key and no value; the
/// opening is private to the operator.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
public struct LeafRow
{
    /// <summary>Length of a row in octets.</summary>
    public const int Length = 128;

    /// <summary>ValueOffset of a leaf whose value was erased or is not at hand.</summary>
    public const ulong NoValue = ulong.MaxValue;

    private const int StructureShift = 28;
    private const uint InputMask = (1u << StructureShift) - 1;

    // In the order of the ABI.
    private Octets32 _label;
    private Octets32 _commitment;
    private Octets16 _tag;
    private Octets16 _opening;

    /// <summary>Epoch that inserted the leaf.</summary>
    public ulong Epoch;

    /// <summary>Version of the key, 1, 2, ...; 0 in an oZKS.</summary>
    public ulong Version;

    /// <summary>ValueOffset is where the value starts in the values blob that goes with the rows, or <see cref="NoValue"/>.</summary>
    public ulong ValueOffset;

    /// <summary>ValueLength in octets.</summary>
    public uint ValueLength;

    private uint _structureAndInput;

    /// <summary>Label, 32 octets.</summary>
    public ReadOnlySpan<byte> Label
    {
        [UnscopedRef]
        readonly get => _label;
        set => Set(value, _label);
    }

    /// <summary>Commitment to the value, 32 octets.</summary>
    public ReadOnlySpan<byte> Commitment
    {
        [UnscopedRef]
        readonly get => _commitment;
        set => Set(value, _commitment);
    }

    /// <summary>Tag, 16 octets: the keyed hash of (structure, key) that stands for the key in stored leaves.</summary>
    public ReadOnlySpan<byte> Tag
    {
        [UnscopedRef]
        readonly get => _tag;
        set => Set(value, _tag);
    }

    /// <summary>Opening of the commitment, 16 octets, zero when the value was erased.</summary>
    public ReadOnlySpan<byte> Opening
    {
        [UnscopedRef]
        readonly get => _opening;
        set => Set(value, _opening);
    }

    /// <summary>Structure that the leaf belongs to.</summary>
    public StructureId Structure
    {
        readonly get => (StructureId)(_structureAndInput >> StructureShift);
        set => _structureAndInput = ((uint)value << StructureShift) | (_structureAndInput & InputMask);
    }

    /// <summary>InputIndex of a prepared leaf is the index of its update in the call's input; otherwise 0. Below 2^28.</summary>
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
            throw new ArgumentException($"The field has {field.Length} octets, not {value.Length}.", nameof(value));
        }
        value.CopyTo(field);
    }
}
