namespace Optiks.Client;

/// <summary>KeyVersion is one verified version of a key.</summary>
/// <param name="Version">1, 2, ...</param>
/// <param name="Epoch">Epoch that inserted it; 0 for a copy made at a period's start.</param>
/// <param name="Value">Value; null when it was erased.</param>
public sealed record KeyVersion(ulong Version, ulong Epoch, ReadOnlyMemory<byte>? Value);
