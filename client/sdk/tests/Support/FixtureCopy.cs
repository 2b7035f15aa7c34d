using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>A version with which a log begins a period: the copy of a key's latest version.</summary>
/// <param name="Structure">Structure of the key: devices or keys.</param>
/// <param name="Key">Key whose version is copied.</param>
/// <param name="Version">Version of the previous period that the log copies.</param>
/// <param name="Value">Value of the copy.</param>
internal sealed record FixtureCopy(StructureId Structure, byte[] Key, ulong Version, byte[] Value);
