namespace Optiks.Tlog;

/// <summary>Lists the signature types of note keys that this library knows (C2SP signed-note). It ignores signatures of other
/// types.</summary>
public enum SignatureType : byte
{
    /// <summary>An Ed25519 signature of the note's text, which a log makes.</summary>
    Ed25519 = 0x01,

    /// <summary>A timestamped Ed25519 cosignature of a checkpoint (C2SP tlog-cosignature v1), which witnesses and auditors make.</summary>
    CosignatureV1 = 0x04,
}
