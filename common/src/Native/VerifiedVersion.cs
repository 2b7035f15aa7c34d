namespace Optiks.Native;

/// <summary>Holds one accepted version of a key.</summary>
/// <param name="Version">The version's number, 1, 2, ...</param>
/// <param name="LeafEpoch">The epoch of the leaf; 0 for a copy made at a period's start.</param>
/// <param name="Time">The time of the version, T.</param>
/// <param name="Value">The place of the value in the answer; null if the value was erased.</param>
public readonly record struct VerifiedVersion(ulong Version, ulong LeafEpoch, ulong Time, Range? Value);
