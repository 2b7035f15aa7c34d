using Optiks.Protocol;
using Optiks.Receipts;

namespace Optiks.Client;

/// <summary>Reports whether the log kept a promise.</summary>
/// <param name="Status">Whether the promise was kept.</param>
/// <param name="Reason">The promise's verdict, or the reason why it has no verdict; valid while it is not due.</param>
public sealed record ReceiptResult(ReceiptStatus Status, Reason Reason)
{
    /// <summary>The receipt with the epochs of the promise; null when it is refused.</summary>
    public Receipt? Receipt { get; init; }

    /// <summary>The version that keeps the promise; null otherwise.</summary>
    public KeyVersion? Version { get; init; }

    /// <summary>The head of the newest epoch that the client read; null when it read none.</summary>
    public HeadInfo? Head { get; init; }

    /// <summary>The history that was refused; null otherwise.</summary>
    public HistoryResult? History { get; init; }

    /// <summary>The folder that proves a broken promise to anyone; null otherwise.</summary>
    public string? EvidencePath { get; init; }
}
