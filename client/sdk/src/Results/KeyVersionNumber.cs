namespace Optiks.Client;

/// <summary>Names a version of a key: versions count from 1 in each period.</summary>
/// <param name="Period">Period, 0, 1, ...</param>
/// <param name="Version">Version; 0 before the first.</param>
public readonly record struct KeyVersionNumber(ulong Period, ulong Version);
