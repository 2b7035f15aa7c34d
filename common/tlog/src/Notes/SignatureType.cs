namespace Optiks.Tlog;

/// <summary>Defines the type byte of a note key (C2SP signed-note). Other types exist; this library ignores their signatures.</summary>
public enum SignatureType : byte
{
    /// <summary>Ed25519 over the note's text, which a log signs.</summary>
    Ed25519 = 0x01,

    /// <summary>Timestamped Ed25519 checkpoint cosignature (C2SP tlog-cosignature v1), which witnesses and auditors make.</summary>
    CosignatureV1 = 0x04,
}
