namespace Optiks.Native;

/// <summary>Computes the hash H(t, ...) that docs/spec/encoding.md section 1 defines. Any thread.</summary>
public static class NativeHash
{
    /// <summary>The length of a hash in bytes.</summary>
    public const int Length = 32;

    /// <summary>Hashes a tag byte and the data after it: BLAKE2b-256.</summary>
    public static byte[] Compute(byte tag, ReadOnlySpan<byte> data)
    {
        byte[] hash = new byte[Length];
        OptiksNativeException.ThrowIfFailed(Interop.optiks_hash(tag, data, (nuint)data.Length, hash), nameof(Interop.optiks_hash));
        return hash;
    }
}
