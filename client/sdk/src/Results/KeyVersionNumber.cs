namespace Optiks.Client;

/// <summary>KeyVersionNumber names a version of a key: versions count from 1 in each period.</summary>
/// <param name="Period">Period, 0, 1, ...</param>
/// <param name="Version">Version; 0 for none yet.</param>
public readonly record struct KeyVersionNumber(ulong Period, ulong Version);
