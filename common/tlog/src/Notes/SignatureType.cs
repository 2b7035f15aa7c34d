namespace Optiks.Tlog;

/// <summary>
/// SignatureType is the type byte of a note key (C2SP signed-note). Other types exist; this library ignores their signatures.
/// </summary>
public enum SignatureType : byte
{
    /// <summary>Ed25519 over the note's text: what a log signs.</summary>
    Ed25519 = 0x01,

    /// <summary>Timestamped Ed25519 checkpoint cosignature (C2SP tlog-cosignature v1): what witnesses and auditors sign.</summary>
    CosignatureV1 = 0x04,
}
