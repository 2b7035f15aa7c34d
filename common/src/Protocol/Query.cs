namespace Optiks.Protocol;

/// <summary>Holds one element of a binary request (docs/spec/rest.md section 4).</summary>
/// <param name="Key">1 to <see cref="ProtocolLimits.MaxKeyLength"/> bytes.</param>
/// <param name="Period">Lookup: the period of the known version. History and monitor: 0.</param>
/// <param name="Version">Lookup: the known version, or 0. History and monitor: the first version asked for.</param>
public readonly record struct Query(ReadOnlyMemory<byte> Key, ulong Period, ulong Version);
