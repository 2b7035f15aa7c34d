using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Optiks.Tlog;

/// <summary>
/// Holds the SHA-256 hash of a tree's node. A value always has 32 bytes, so a proof cannot contain a hash of another length.
/// </summary>
[InlineArray(Length)]
[SuppressMessage("Design", "CA1066", Justification = "The interface is implemented; the rule does not see it on inline arrays.")]
public struct TreeHash : IEquatable<TreeHash>
{
    /// <summary>The length of a hash in bytes.</summary>
    public const int Length = 32;

    private byte _first;

    /// <summary>Makes a hash from 32 bytes. Returns false if the length is not 32.</summary>
    public static bool TryFromBytes(ReadOnlySpan<byte> bytes, out TreeHash hash)
    {
        hash = default;
        return bytes.Length == Length && bytes.TryCopyTo(hash);
    }

    /// <summary>Makes a hash from 32 bytes. Throws <see cref="ArgumentException"/> if the length is not 32.</summary>
    public static TreeHash FromBytes(ReadOnlySpan<byte> bytes) =>
        TryFromBytes(bytes, out TreeHash hash) ? hash : throw new ArgumentException("A hash has 32 bytes.", nameof(bytes));

    /// <summary>Parses a hash from canonical, padded base64 of 32 bytes.</summary>
    public static bool TryParseBase64(ReadOnlySpan<byte> text, out TreeHash hash)
    {
        hash = default;
        return StrictText.TryDecodeBase64(text, out byte[] bytes) && TryFromBytes(bytes, out hash);
    }

    /// <summary>Returns the bytes of the variable itself, which are valid as long as the variable lives.</summary>
    [UnscopedRef]
    public readonly ReadOnlySpan<byte> AsSpan() => MemoryMarshal.CreateReadOnlySpan(in _first, Length);

    /// <summary>Returns a copy of the bytes.</summary>
    public readonly byte[] ToArray() => AsSpan().ToArray();

    /// <inheritdoc/>
    public readonly bool Equals(TreeHash other) => AsSpan().SequenceEqual(other.AsSpan());

    /// <inheritdoc/>
    public override readonly bool Equals(object? obj) => obj is TreeHash other && Equals(other);

    /// <inheritdoc/>
    public override readonly int GetHashCode() => MemoryMarshal.Read<int>(AsSpan());

    /// <summary>Returns the base64 text, which checkpoints and proofs contain.</summary>
    public override readonly string ToString() => Convert.ToBase64String(AsSpan());

    /// <summary>Returns whether both hashes have the same bytes. Hashes are public, so the comparison need not take constant
    /// time.</summary>
    public static bool operator ==(TreeHash left, TreeHash right) => left.Equals(right);

    /// <summary>Returns whether the hashes differ.</summary>
    public static bool operator !=(TreeHash left, TreeHash right) => !left.Equals(right);
}
