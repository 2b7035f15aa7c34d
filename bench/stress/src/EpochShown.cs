namespace Optiks.Stress;

/// <summary>An epoch, with the time at which a replica first showed it.</summary>
/// <param name="Epoch">Number of the epoch.</param>
/// <param name="Period">Period of the epoch.</param>
/// <param name="At">Time at which a replica first showed the epoch, in seconds on the run's clock.</param>
/// <param name="Versions">Number of versions of keys that the log has published up to this epoch, according to verified records.</param>
internal readonly record struct EpochShown(ulong Epoch, ulong Period, double At, ulong Versions);
