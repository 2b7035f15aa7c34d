namespace Optiks.Native;

/// <summary>Holds the accepted answer for one key.</summary>
/// <param name="Version">The latest version, a; 0 if the key is proven absent.</param>
/// <param name="Time">The time of the latest version, T(a), which the client stores.</param>
/// <param name="LeafEpoch">The epoch of the latest version's leaf; 0 if the leaf is a copy, or if the answer has no member for that
/// version.</param>
/// <param name="Value">The place of the value in the answer; null if the key is absent or unchanged since the known version.</param>
/// <param name="BeginsWithCopy">Whether the answer contains version 1 and this version is a copy from the previous period.</param>
public readonly record struct VerifiedLookup(ulong Version, ulong Time, ulong LeafEpoch, Range? Value, bool BeginsWithCopy = false);
