using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>Names a version whose value a request erased.</summary>
/// <param name="Structure">The structure of the version's key.</param>
/// <param name="Period">Period of the version.</param>
/// <param name="Version">The version.</param>
/// <param name="Epoch">Epoch that inserted the version.</param>
public sealed record ErasedVersion(StructureId Structure, ulong Period, ulong Version, ulong Epoch);
