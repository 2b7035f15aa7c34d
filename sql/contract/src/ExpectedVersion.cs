namespace Optiks.Storage;

/// <summary>Names a key's latest version; version 0 means that the key has no version.</summary>
/// <param name="Period">Time period.</param>
/// <param name="Version">Version within the period.</param>
public readonly record struct ExpectedVersion(ulong Period, ulong Version);
