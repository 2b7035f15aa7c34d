namespace Optiks.Stress;

/// <summary>An epoch as a replica first showed it.</summary>
/// <param name="Epoch">Its number.</param>
/// <param name="Period">Its period.</param>
/// <param name="At">Seconds on the run's clock.</param>
/// <param name="Versions">Versions of keys that the log has published with it, by verified records.</param>
internal readonly record struct EpochShown(ulong Epoch, ulong Period, double At, ulong Versions);
