namespace Optiks.Native;

/// <summary>VerifiedLookup is the accepted answer for one key.</summary>
/// <param name="Version">a, the latest version; 0: proven absent.</param>
/// <param name="Time">T(a), to be remembered.</param>
/// <param name="LeafEpoch">Epoch of the leaf; 0 for a copy, or when no member was sent.</param>
/// <param name="Value">Where the value stands in the answer; null when absent or unchanged since the known version.</param>
/// <param name="BeginsWithCopy">Version 1 was sent, as a copy of the period before.</param>
public readonly record struct VerifiedLookup(ulong Version, ulong Time, ulong LeafEpoch, Range? Value, bool BeginsWithCopy = false);
