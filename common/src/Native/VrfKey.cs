using System.Buffers.Binary;
using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>
/// Calls the VRF (docs/spec/vrf.md) without a directory: makes keys, and makes proofs for tools and tests. A directory makes its own
/// proofs. Any thread may use this class.
/// </summary>
public static class VrfKey
{
    /// <summary>The length of a secret and of a public key in bytes.</summary>
    public const int Length = Lengths.VrfPublicKey;

    /// <summary>The length of a proof in bytes.</summary>
    public const int ProofLength = Lengths.VrfProof;

    /// <summary>Makes a key pair with the system's random generator. The caller overwrites the secret after use.</summary>
    public static void Generate(Span<byte> secret, Span<byte> publicKey)
    {
        Check.Length(secret, Length);
        Check.Length(publicKey, Length);
        OptiksNativeException.ThrowIfFailed(Interop.optiks_vrf_generate(secret, publicKey), nameof(Interop.optiks_vrf_generate));
    }

    /// <summary>Derives the public key from a secret. Returns false unless 1 &lt;= secret &lt; N.</summary>
    public static bool TryGetPublicKey(ReadOnlySpan<byte> secret, Span<byte> publicKey)
    {
        Check.Length(secret, Length);
        Check.Length(publicKey, Length);
        return Succeeded(Interop.optiks_vrf_public(secret, publicKey), nameof(Interop.optiks_vrf_public));
    }

    /// <summary>Returns whether a public key passes validate_key of docs/spec/vrf.md section 3.</summary>
    public static bool IsValid(ReadOnlySpan<byte> publicKey)
    {
        Check.Length(publicKey, Length);
        return Succeeded(Interop.optiks_vrf_validate(publicKey), nameof(Interop.optiks_vrf_validate));
    }

    /// <summary>Returns the VRF input alpha for one version of a key (docs/spec/tree.md section 1). In structures without versions, the
    /// version is 0.</summary>
    public static byte[] Input(StructureId structure, ReadOnlySpan<byte> key, ulong version)
    {
        byte[] alpha = [(byte)structure, checked((byte)key.Length), .. key, .. new byte[sizeof(ulong)]];
        BinaryPrimitives.WriteUInt64BigEndian(alpha.AsSpan(2 + key.Length), version);
        return alpha;
    }

    /// <summary>Checks the public key and verifies a proof. Writes the label if the proof is valid.</summary>
    public static Reason Verify(ReadOnlySpan<byte> publicKey, ReadOnlySpan<byte> alpha, ReadOnlySpan<byte> proof, Span<byte> label)
    {
        Check.Length(publicKey, Length);
        Check.Length(proof, ProofLength);
        Check.Length(label, Length);
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_vrf_verify(publicKey, alpha, (nuint)alpha.Length, proof, out int reason, label),
            nameof(Interop.optiks_vrf_verify));
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
