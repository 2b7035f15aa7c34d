namespace Optiks.Protocol;

/// <summary>Holds one element of a binary request (docs/spec/rest.md section 4).</summary>
/// <param name="Key">The queried key, 1 to <see cref="ProtocolLimits.MaxKeyLength"/> bytes.</param>
/// <param name="Period">In a lookup, the period of the version that the client knows; in a history or monitoring query, 0.</param>
/// <param name="Version">In a lookup, the version that the client knows, or 0 if it knows no version; in a history or monitoring query, the
/// first requested version.</param>
public readonly record struct Query(ReadOnlyMemory<byte> Key, ulong Period, ulong Version);
