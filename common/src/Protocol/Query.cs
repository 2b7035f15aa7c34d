namespace Optiks.Protocol;

/// <summary>Query is one element of a binary request (docs/spec/rest.md section 4).</summary>
/// <param name="Key">1 to <see cref="ProtocolLimits.MaxKeyLength"/> octets.</param>
/// <param name="Period">Lookup: of the known version. History and monitor: 0.</param>
/// <param name="Version">Lookup: the known version, 0 for none. History and monitor: the first version asked for.</param>
public readonly record struct Query(ReadOnlyMemory<byte> Key, ulong Period, ulong Version);
