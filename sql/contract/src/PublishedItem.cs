using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>PublishedItem is one item of a published request.</summary>
/// <param name="Item">Its number in the request.</param>
/// <param name="Structure">Structure of the key.</param>
/// <param name="Period">Period of the version.</param>
/// <param name="Version">Version that the item became.</param>
/// <param name="Ordinal">Its leaf's number within the epoch.</param>
/// <param name="Key">The key; empty when the value was erased since.</param>
public sealed record PublishedItem(int Item, StructureId Structure, ulong Period, ulong Version, int Ordinal, ReadOnlyMemory<byte> Key);
