namespace Optiks.Tlog;

/// <summary>Defines the type byte of a note key (C2SP signed-note). Other types exist; this library ignores their signatures.</summary>
public enum SignatureType : byte
{
    /// <summary>An Ed25519 signature of the note's text, which a log makes.</summary>
    Ed25519 = 0x01,

    /// <summary>A timestamped Ed25519 cosignature of a checkpoint (C2SP tlog-cosignature v1), which witnesses and auditors make.</summary>
    CosignatureV1 = 0x04,
}
