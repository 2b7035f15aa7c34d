namespace Optiks.Protocol;

/// <summary>Holds the latest version of a device list or of a device's key (docs/spec/users.md section 1).</summary>
/// <param name="Record">The number of the record to which the entry's proofs refer. The number 0 is the head's record, and i is the record
/// of the answer's i-th part.</param>
/// <param name="Lookup">The latest version and its proofs.</param>
public sealed record VersionedEntry(byte Record, Lookup Lookup)
{
    internal static VersionedEntry Decode(ref TlsReader reader) => new(reader.UInt8("entry.record"), Lookup.Decode(ref reader));
}
