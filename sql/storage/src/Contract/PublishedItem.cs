using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>One item of a published request, with the version that the item became.</summary>
/// <param name="Item">The item's number in the request.</param>
/// <param name="Structure">Structure of the key.</param>
/// <param name="Period">Period of the version.</param>
/// <param name="Version">The version that the item became.</param>
/// <param name="Ordinal">The leaf's number within the epoch.</param>
/// <param name="Key">The item's key; empty when the item's value has been erased.</param>
public sealed record PublishedItem(int Item, StructureId Structure, ulong Period, ulong Version, int Ordinal, ReadOnlyMemory<byte> Key);
