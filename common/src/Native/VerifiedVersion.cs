namespace Optiks.Native;

/// <summary>VerifiedVersion is one accepted version of a key.</summary>
/// <param name="Version">1, 2, ...</param>
/// <param name="LeafEpoch">Epoch of the leaf; 0 for a copy made at a period's start.</param>
/// <param name="Time">T of the version.</param>
/// <param name="Value">Where the value stands in the answer; null when it was erased.</param>
public readonly record struct VerifiedVersion(ulong Version, ulong LeafEpoch, ulong Time, Range? Value);
