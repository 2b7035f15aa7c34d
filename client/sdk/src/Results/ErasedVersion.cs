using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>A version whose value a request erased.</summary>
/// <param name="Structure">Structure of its key. A receipt names no keys: the requester knows them.</param>
/// <param name="Version">Period and version.</param>
/// <param name="Epoch">Epoch that inserted it.</param>
public readonly record struct ErasedVersion(StructureId Structure, KeyVersionNumber Version, ulong Epoch);
