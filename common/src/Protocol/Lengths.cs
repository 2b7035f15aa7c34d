// Generated from docs/spec/facts.toml by `make facts`: do not edit.
namespace Optiks.Protocol;

/// <summary>Lengths in bytes.</summary>
public static class Lengths
{
    /// <summary>The length of a VRF secret key, which is a scalar in [1, N).</summary>
    public const int VrfSecretKey = 32;

    /// <summary>The length of a VRF public key, which is a point.</summary>
    public const int VrfPublicKey = 32;

    /// <summary>The length of a VRF proof: Gamma has 32 octets, c has 16, s has 31.</summary>
    public const int VrfProof = 79;

    /// <summary>The length of a label, which is the beginning of the VRF's output.</summary>
    public const int VrfLabel = 32;

    /// <summary>The length of a hash, of H (docs/spec/encoding.md section 1) or of SHA-256.</summary>
    public const int Hash = 32;

    /// <summary>The length of the opening of a commitment (docs/spec/tree.md section 2).</summary>
    public const int Opening = 16;

    /// <summary>The length of an Ed25519 signature (docs/spec/board.md section 5).</summary>
    public const int Signature = 64;

    /// <summary>The length of a StructureState (docs/spec/records.md section 2).</summary>
    public const int StructureState = 72;

    /// <summary>The length of an EpochRecord (docs/spec/records.md section 2).</summary>
    public const int Record = 386;

    /// <summary>The length of an AddedLeaf (docs/spec/proofs.md section 5).</summary>
    public const int AddedLeaf = 65;

    /// <summary>The largest length of a Path's siblings: one hash for each bit of a label (docs/spec/proofs.md section 1).</summary>
    public const int MaxSiblings = 8192;

    /// <summary>The largest length of an inclusion or consistency proof: 63 hashes (docs/spec/board.md section 4).</summary>
    public const int MaxLogProof = 2016;
}
