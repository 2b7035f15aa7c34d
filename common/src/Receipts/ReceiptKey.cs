using Optiks.Tlog;

namespace Optiks.Receipts;

/// <summary>ReceiptKey is a key whose receipts are the log's promises, within its time.</summary>
/// <param name="Key">The key, of type 0x01.</param>
/// <param name="FromMs">First time of its receipts, Unix milliseconds.</param>
/// <param name="UntilMs">Time from which on it gives none.</param>
public sealed record ReceiptKey(VerifierKey Key, ulong FromMs, ulong UntilMs)
{
    /// <summary>IsOf says whether a receipt of this time may be this key's.</summary>
    public bool IsOf(ulong timeMs) => FromMs <= timeMs && timeMs < UntilMs;
}
