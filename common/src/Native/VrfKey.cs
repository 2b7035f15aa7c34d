using System.Buffers.Binary;
using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>VrfKey calls the VRF (docs/spec/vrf.md) by itself: making keys, and proofs for tools and tests. A directory proves on its own. Any thread.</summary>
public static class VrfKey
{
    /// <summary>Length of a secret and of a public key in octets.</summary>
    public const int Length = Lengths.VrfPublicKey;

    /// <summary>Length of a proof in octets.</summary>
    public const int ProofLength = Lengths.VrfProof;

    /// <summary>Generate makes a key pair from the system's random generator. The caller overwrites the secret when done.</summary>
    public static void Generate(Span<byte> secret, Span<byte> publicKey)
    {
        Check.Length(secret, Length);
        Check.Length(publicKey, Length);
        OptiksNativeException.ThrowIfFailed(Interop.optiks_vrf_generate(secret, publicKey), nameof(Interop.optiks_vrf_generate));
    }

    /// <summary>TryGetPublicKey derives the public key. False unless 1 &lt;= secret &lt; N.</summary>
    public static bool TryGetPublicKey(ReadOnlySpan<byte> secret, Span<byte> publicKey)
    {
        Check.Length(secret, Length);
        Check.Length(publicKey, Length);
        return Succeeded(Interop.optiks_vrf_public(secret, publicKey), nameof(Interop.optiks_vrf_public));
    }

    /// <summary>IsValid is validate_key of docs/spec/vrf.md section 3.</summary>
    public static bool IsValid(ReadOnlySpan<byte> publicKey)
    {
        Check.Length(publicKey, Length);
        return Succeeded(Interop.optiks_vrf_validate(publicKey), nameof(Interop.optiks_vrf_validate));
    }

    /// <summary>Input is alpha for one version of a key (docs/spec/tree.md section 1); 0 is the version in structures without versions.</summary>
    public static byte[] Input(StructureId structure, ReadOnlySpan<byte> key, ulong version)
    {
        byte[] alpha = [(byte)structure, checked((byte)key.Length), .. key, .. new byte[sizeof(ulong)]];
        BinaryPrimitives.WriteUInt64BigEndian(alpha.AsSpan(2 + key.Length), version);
        return alpha;
    }

    /// <summary>Verify checks a proof, the public key included, and writes the label when it is valid.</summary>
    public static Reason Verify(ReadOnlySpan<byte> publicKey, ReadOnlySpan<byte> alpha, ReadOnlySpan<byte> proof, Span<byte> label)
    {
        Check.Length(publicKey, Length);
        Check.Length(proof, ProofLength);
        Check.Length(label, Length);
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_vrf_verify(publicKey, alpha, (nuint)alpha.Length, proof, out int reason, label), nameof(Interop.optiks_vrf_verify));
        return (Reason)reason;
    }

    private static bool Succeeded(int status, string function)
    {
        if (status == (int)NativeStatus.Key)
        {
            return false;
        }
        OptiksNativeException.ThrowIfFailed(status, function);
        return true;
    }
}
