namespace Optiks.Stress;

/// <summary>Describes an epoch and the time at which a replica first showed it.</summary>
/// <param name="Epoch">The epoch's number.</param>
/// <param name="Period">The period of the epoch.</param>
/// <param name="At">The time at which a replica first showed the epoch, in seconds on the run's clock.</param>
/// <param name="Versions">The number of versions of keys that the log has published up to this epoch, according to verified
/// records.</param>
internal readonly record struct EpochShown(ulong Epoch, ulong Period, double At, ulong Versions);
