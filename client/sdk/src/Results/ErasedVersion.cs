using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>ErasedVersion is a version whose value a request erased.</summary>
/// <param name="Structure">Structure that its key belongs to. A receipt names no keys: who asked knows them.</param>
/// <param name="Version">Period and version.</param>
/// <param name="Epoch">Epoch that inserted it.</param>
public readonly record struct ErasedVersion(StructureId Structure, KeyVersionNumber Version, ulong Epoch);
