using Optiks.Tlog;

namespace Optiks.Receipts;

/// <summary>Holds a receipt key with the time range in which receipts that the key signs are the log's promises.</summary>
/// <param name="Key">The public key, whose signature type is 0x01.</param>
/// <param name="FromMs">The earliest time of a receipt that the key may sign, in Unix milliseconds.</param>
/// <param name="UntilMs">The time from which the key may sign no more receipts, in Unix milliseconds.</param>
public sealed record ReceiptKey(VerifierKey Key, ulong FromMs, ulong UntilMs)
{
    /// <summary>Returns whether this key may sign a receipt of this time.</summary>
    public bool IsValidAt(ulong timeMs) => FromMs <= timeMs && timeMs < UntilMs;
}
