// Generated from docs/spec/facts.toml by `make facts`: do not edit.
namespace Optiks.Protocol;

/// <summary>Lengths in bytes.</summary>
public static class Lengths
{
    /// <summary>VRF secret key: a scalar in [1, N).</summary>
    public const int VrfSecretKey = 32;

    /// <summary>VRF public key: a point.</summary>
    public const int VrfPublicKey = 32;

    /// <summary>VRF proof: Gamma 32, c 16, s 31.</summary>
    public const int VrfProof = 79;

    /// <summary>Label: the beginning of the VRF's output.</summary>
    public const int VrfLabel = 32;

    /// <summary>Hash of any kind: H (docs/spec/encoding.md section 1) and SHA-256.</summary>
    public const int Hash = 32;

    /// <summary>Opening of a commitment (docs/spec/tree.md section 2).</summary>
    public const int Opening = 16;

    /// <summary>Ed25519 signature (docs/spec/board.md section 5).</summary>
    public const int Signature = 64;

    /// <summary>StructureState (docs/spec/records.md section 2).</summary>
    public const int StructureState = 72;

    /// <summary>EpochRecord (docs/spec/records.md section 2).</summary>
    public const int Record = 386;

    /// <summary>AddedLeaf (docs/spec/proofs.md section 5).</summary>
    public const int AddedLeaf = 65;

    /// <summary>Siblings of a Path: a hash for each bit of a label (docs/spec/proofs.md section 1).</summary>
    public const int MaxSiblings = 8192;

    /// <summary>Inclusion or consistency proof: 63 hashes (docs/spec/board.md section 4).</summary>
    public const int MaxLogProof = 2016;
}
