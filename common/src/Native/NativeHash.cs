namespace Optiks.Native;

/// <summary>NativeHash is H(t, ...) of docs/spec/encoding.md section 1. Any thread.</summary>
public static class NativeHash
{
    /// <summary>Length of a hash in octets.</summary>
    public const int Length = 32;

    /// <summary>Compute hashes a tag octet and what follows it: BLAKE2b-256.</summary>
    public static byte[] Compute(byte tag, ReadOnlySpan<byte> data)
    {
        byte[] hash = new byte[Length];
        OptiksNativeException.ThrowIfFailed(Interop.optiks_hash(tag, data, (nuint)data.Length, hash), nameof(Interop.optiks_hash));
        return hash;
    }
}
