using Optiks.Protocol;
using Optiks.Receipts;

namespace Optiks.Client;

/// <summary>ReceiptResult is what a client found out about a promise.</summary>
/// <param name="Status">What became of it.</param>
/// <param name="Reason">The promise's verdict, or why there is none; valid while it is not due.</param>
public sealed record ReceiptResult(ReceiptStatus Status, Reason Reason)
{
    /// <summary>Receipt with the epochs of the promise; null when it is refused.</summary>
    public Receipt? Receipt { get; init; }

    /// <summary>Version that keeps the promise; null otherwise.</summary>
    public KeyVersion? Version { get; init; }

    /// <summary>Head of the newest epoch that was looked at; null when there was none.</summary>
    public HeadInfo? Head { get; init; }

    /// <summary>History that was refused; null otherwise.</summary>
    public HistoryResult? History { get; init; }

    /// <summary>EvidencePath is the folder that proves a broken promise to anyone; null otherwise.</summary>
    public string? EvidencePath { get; init; }
}
