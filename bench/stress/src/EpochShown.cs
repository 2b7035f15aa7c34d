namespace Optiks.Stress;

/// <summary>EpochShown is an epoch as a replica first showed it.</summary>
/// <param name="Epoch">Its number.</param>
/// <param name="At">Seconds on the run's clock.</param>
/// <param name="Versions">Versions of keys that the log holds with it, by its verified record.</param>
internal readonly record struct EpochShown(ulong Epoch, double At, ulong Versions);
