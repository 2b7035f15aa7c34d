namespace Optiks.Client;

/// <summary>Names a version of a key. In each period, the numbers of versions start at 1.</summary>
/// <param name="Period">Number of the period: 0, 1, ...</param>
/// <param name="Version">Number of the version; 0 if the key has no version yet.</param>
public readonly record struct KeyVersionNumber(ulong Period, ulong Version);
