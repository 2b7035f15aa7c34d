using Optiks.Protocol;
using Optiks.Receipts;

namespace Optiks.Client;

/// <summary>Reports whether the log kept a promise.</summary>
/// <param name="Status">Whether the promise was kept.</param>
/// <param name="Reason">
/// The verdict on the promise, or the reason why there is no verdict. The reason is <c>Valid</c> while the promise is not due.
/// </param>
public sealed record ReceiptResult(ReceiptStatus Status, Reason Reason)
{
    /// <summary>The receipt with the epochs of the promise; null when the receipt is refused.</summary>
    public Receipt? Receipt { get; init; }

    /// <summary>The version that keeps the promise; null if no version keeps it.</summary>
    public KeyVersion? Version { get; init; }

    /// <summary>The head of the newest epoch that the client read; null when the client read no epoch.</summary>
    public HeadInfo? Head { get; init; }

    /// <summary>The history that the client refused; null if it refused no history.</summary>
    public HistoryResult? History { get; init; }

    /// <summary>The folder that proves the broken promise to anyone; null if the promise is not proven broken.</summary>
    public string? EvidencePath { get; init; }
}
