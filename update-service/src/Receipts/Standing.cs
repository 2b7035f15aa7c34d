namespace Optiks.UpdateService.Receipts;

/// <summary>Standing is how the log stood when updates had been accepted: what promises about them are counted from.</summary>
/// <param name="Pending">Updates that waited, these among them.</param>
/// <param name="Published">Last published epoch, read after that; null: there is none.</param>
internal readonly record struct Standing(long Pending, ulong? Published);
