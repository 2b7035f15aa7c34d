using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>One item of a request: the new value of one key.</summary>
/// <param name="Structure">The structure that the key belongs to.</param>
/// <param name="Key">The key: 1 to <see cref="ProtocolLimits.MaxKeyLength"/> bytes.</param>
/// <param name="Value">The new value.</param>
/// <param name="Expected">The version that the caller believes to be the latest; null accepts any version.</param>
public sealed record AcceptItem(StructureId Structure, ReadOnlyMemory<byte> Key, ReadOnlyMemory<byte> Value, ExpectedVersion? Expected);
