namespace Optiks.UpdateService.Receipts;

/// <summary>Holds the state of the log after updates were accepted, on which their receipts are based.</summary>
/// <param name="Pending">The number of waiting updates, including the accepted updates.</param>
/// <param name="Published">The last published epoch, which is read after <paramref name="Pending"/> is counted; null if no epoch is
/// published.</param>
internal readonly record struct Standing(long Pending, ulong? Published);
