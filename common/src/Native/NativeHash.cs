namespace Optiks.Native;

/// <summary>Computes the hash H(t, ...) that docs/spec/encoding.md section 1 defines. Any thread may use this class.</summary>
public static class NativeHash
{
    /// <summary>The length of a hash in bytes.</summary>
    public const int Length = 32;

    /// <summary>Returns the BLAKE2b-256 hash of a tag byte followed by data.</summary>
    public static byte[] Compute(byte tag, ReadOnlySpan<byte> data)
    {
        byte[] hash = new byte[Length];
        OptiksNativeException.ThrowIfFailed(Interop.optiks_hash(tag, data, (nuint)data.Length, hash), nameof(Interop.optiks_hash));
        return hash;
    }
}
