using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>A copy with which a log begins a period.</summary>
/// <param name="Structure">Devices or keys.</param>
/// <param name="Key">Key.</param>
/// <param name="Version">Version of the previous period that is copied.</param>
/// <param name="Value">Its value.</param>
internal sealed record FixtureCopy(StructureId Structure, byte[] Key, ulong Version, byte[] Value);
