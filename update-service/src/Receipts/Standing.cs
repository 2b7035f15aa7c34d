namespace Optiks.UpdateService.Receipts;

/// <summary>Holds the state of the log on which receipts are based; it is read after the receipts' updates were accepted.</summary>
/// <param name="Pending">The number of pending updates, including the just accepted ones.</param>
/// <param name="Published">The last published epoch, which is read after the pending updates are counted; null if no epoch is
/// published.</param>
internal readonly record struct Standing(long Pending, ulong? Published);
