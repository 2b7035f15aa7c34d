using Optiks.Tlog;

namespace Optiks.Receipts;

/// <summary>Holds a key whose receipts are the log's promises within the key's time.</summary>
/// <param name="Key">The key, of type 0x01.</param>
/// <param name="FromMs">The first time of its receipts, in Unix milliseconds.</param>
/// <param name="UntilMs">The time from which the key signs no more receipts, in Unix milliseconds.</param>
public sealed record ReceiptKey(VerifierKey Key, ulong FromMs, ulong UntilMs)
{
    /// <summary>Returns whether a receipt of this time may be signed by this key.</summary>
    public bool IsValidAt(ulong timeMs) => FromMs <= timeMs && timeMs < UntilMs;
}
