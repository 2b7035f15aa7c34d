using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>A version whose value a request erased.</summary>
/// <param name="Structure">Structure of the version's key. The server's statement does not name the key, because the requester knows
/// it.</param>
/// <param name="Version">Period and number of the version.</param>
/// <param name="Epoch">Epoch that inserted the version.</param>
public readonly record struct ErasedVersion(StructureId Structure, KeyVersionNumber Version, ulong Epoch);
