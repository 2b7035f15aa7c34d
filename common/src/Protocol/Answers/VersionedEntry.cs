namespace Optiks.Protocol;

/// <summary>Holds the latest version of a device list or of a device's key (docs/spec/users.md section 1).</summary>
/// <param name="Record">The record to which the entry refers: 0 for the head's, i for the i-th of the parts.</param>
/// <param name="Lookup">The version and its proofs.</param>
public sealed record VersionedEntry(byte Record, Lookup Lookup)
{
    internal static VersionedEntry Decode(ref TlsReader reader) => new(reader.UInt8("entry.record"), Lookup.Decode(ref reader));
}
