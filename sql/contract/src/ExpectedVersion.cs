namespace Optiks.Storage;

/// <summary>Names a key's latest version; version 0 is a key that has none.</summary>
/// <param name="Period">Time period.</param>
/// <param name="Version">Version within it.</param>
public readonly record struct ExpectedVersion(ulong Period, ulong Version);
