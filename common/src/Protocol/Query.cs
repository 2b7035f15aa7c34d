namespace Optiks.Protocol;

/// <summary>Holds one element of a binary request (docs/spec/rest.md section 4).</summary>
/// <param name="Key">The queried key, 1 to <see cref="ProtocolLimits.MaxKeyLength"/> bytes.</param>
/// <param name="Period">In a lookup, the period of the client's known version; in a history or monitoring query, 0.</param>
/// <param name="Version">In a lookup, the client's known version, or 0 if it knows no version; in a history or monitoring query, the first
/// version asked for.</param>
public readonly record struct Query(ReadOnlyMemory<byte> Key, ulong Period, ulong Version);
