namespace Optiks.Storage;

/// <summary>Names the version that is a key's latest version; number 0 means that the key has no version.</summary>
/// <param name="Period">The period of the version.</param>
/// <param name="Version">The version's number within the period.</param>
public readonly record struct ExpectedVersion(ulong Period, ulong Version);
