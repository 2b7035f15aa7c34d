using System.Globalization;
using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Receipts;

namespace Optiks.Client;

/// <summary>
/// Judges receipts offline, and also evidence that the log broke a receipt's promise (docs/spec/receipts.md). Thread-safe.
/// </summary>
internal static class PromiseJudge
{
    /// <summary>
    /// Checks that the receipt is the log's promise to publish this value of this key. The id of the update request does not matter.
    /// </summary>
    public static Reason Receipt(TrustAnchor anchor, UpdateReceipt given, out Receipt? receipt)
    {
        receipt = null;
        Reason reason = ReceiptKeys.Verify(anchor, given.Keys.Span, out ReceiptKeys? keys);
        if (reason == Reason.Valid)
        {
            reason = Optiks.Receipts.Receipt.Verify(anchor, keys!, given.Note.Span, out receipt);
        }
        if (reason == Reason.Valid
            && (given.Key.Length is 0 or > ProtocolLimits.MaxKeyLength || receipt!.IndexOf(given.Key.Span, given.Value.Span) < 0))
        {
            reason = Reason.ReceiptRequest;
            receipt = null;
        }
        return reason;
    }

    /// <summary>
    /// Compares the time that the receipt's signer wrote with the record of the epoch after which the promise counts (docs/spec/receipts.md
    /// section 6 step 2). Without this check, somebody with a receipt key that expired long ago could sign a promise about today's epochs.
    /// </summary>
    /// <param name="anchor">The log's trust anchor.</param>
    /// <param name="receipt">The receipt, which must be verified.</param>
    /// <param name="after">The Head of epoch <see cref="Optiks.Receipts.Receipt.After"/>.</param>
    public static Reason CheckTime(TrustAnchor anchor, Receipt receipt, ReadOnlyMemory<byte> after)
    {
        if (after.Length < EpochRecord.Length)
        {
            return Reason.MalformedTruncated;
        }
        HeadVerdict verdict = Verifier.VerifyHead(
            new VerifierContext { Anchor = anchor, NowMs = 0, EndedRecord = after[..EpochRecord.Length] }, after.Span);
        return verdict.Reason != Reason.Valid ? verdict.Reason
            : verdict.Head!.Epoch != receipt.After || UnixTime.IsAfter(verdict.Head.TimeMs, receipt.TimeMs, anchor.Configuration.MaxAheadMs)
                ? Reason.ReceiptTime
            : Reason.Valid;
    }

    /// <summary>
    /// Judges a receipt by the Head of the epoch <c>After</c> in the receipt and by the answers about the receipt's key. Returns
    /// <see cref="Reason.PromiseBroken"/>, or the reason why the answers prove no breach. Also returns the receipt, unless the receipt is
    /// refused.
    /// </summary>
    public static (Reason Reason, Receipt? Receipt) Judge(
        TrustAnchor anchor, UpdateReceipt given, ReadOnlyMemory<byte> after, IEnumerable<ReadOnlyMemory<byte>> answers)
    {
        Reason reason = Receipt(anchor, given, out Receipt? receipt);
        if (receipt is null)
        {
            return (reason, null);
        }
        reason = CheckTime(anchor, receipt, after);
        if (reason != Reason.Valid)
        {
            return (reason, receipt);
        }
        var read = new PromiseAnswers(anchor, receipt, given.Key, given.Value);
        foreach (ReadOnlyMemory<byte> answer in answers)
        {
            reason = read.Add(answer);
            if (reason != Reason.Valid)
            {
                return (reason, receipt);
            }
        }
        return (read.Reason, receipt);
    }

    /// <summary>The name of the file with the Head of the epoch after which the promise counts.</summary>
    public const string AfterName = "after.bin";

    /// <summary>Returns the name of the file in a folder of evidence that holds the answer with this number, counted from 1.</summary>
    public static string AnswerName(int number) => string.Create(CultureInfo.InvariantCulture, $"history-{number}.bin");

    /// <summary>
    /// Returns the files of a folder of evidence that proves a broken promise. The caller must have judged the evidence already.
    /// </summary>
    public static Dictionary<string, ReadOnlyMemory<byte>> Collect(
        TrustAnchor anchor, UpdateReceipt given, Receipt receipt, ReadOnlyMemory<byte> after, IReadOnlyList<ReadOnlyMemory<byte>> answers)
    {
        var files = new Dictionary<string, ReadOnlyMemory<byte>>
        {
            ["trust.json"] = anchor.ToJson(),
            ["receipt.txt"] = given.Note,
            ["receipt-keys.txt"] = given.Keys,
            ["key.bin"] = given.Key,
            ["value.bin"] = given.Value,
            [AfterName] = after,
            ["README.txt"] = Encoding.UTF8.GetBytes(Explain(anchor, receipt)),
        };
        for (int i = 0; i < answers.Count; i++)
        {
            files[AnswerName(i + 1)] = answers[i];
        }
        return files;
    }

    private static string Explain(TrustAnchor anchor, Receipt receipt) => string.Create(CultureInfo.InvariantCulture,
        $"""
        The log {anchor.Configuration.Origin} promised to publish a value in an epoch from {receipt.After + 1} to {receipt.By}, and did not.

        trust.json         the log's key and configuration
        receipt-keys.txt   the note in which the log's key vouches for the keys that give receipts
        receipt.txt        the receipt, signed by one of these: the promise, with a hash of what was promised
        key.bin, value.bin key and value, which have this hash
        after.bin          epoch {receipt.After} in a tree that the log signed: its record is no later than the receipt
        history-N.bin      answers about the key, each in a tree that the log signed: all versions of these epochs,
                           of which none has the value

        Anyone can check it (docs/spec/receipts.md section 6). No client can make these files about a log that kept its
        promise. Publish them, and ask the operator and the auditors.

        """);
}
