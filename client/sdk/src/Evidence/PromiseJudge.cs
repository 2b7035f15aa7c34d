using System.Globalization;
using System.Text;
using Optiks.Protocol;
using Optiks.Receipts;

namespace Optiks.Client;

/// <summary>PromiseJudge judges receipts, and evidence that the promise of one was broken, offline (docs/spec/receipts.md). Any thread.</summary>
internal static class PromiseJudge
{
    /// <summary>Receipt checks that the log promised to publish this value of this key, in whatever request.</summary>
    public static Reason Receipt(TrustAnchor anchor, UpdateReceipt given, out Receipt? receipt)
    {
        receipt = null;
        Reason reason = ReceiptKeys.Verify(anchor, given.Keys.Span, out ReceiptKeys? keys);
        if (reason == Reason.Valid)
        {
            reason = Optiks.Receipts.Receipt.Verify(anchor, keys!, given.Note.Span, out receipt);
        }
        if (reason == Reason.Valid && (given.Key.Length is 0 or > ProtocolLimits.MaxKeyLength || receipt!.IndexOf(given.Key.Span, given.Value.Span) < 0))
        {
            reason = Reason.ReceiptRequest;
            receipt = null;
        }
        return reason;
    }

    /// <summary>Judge says what a receipt and answers about its key prove: <see cref="Reason.PromiseBroken"/>, or why nothing; with the receipt unless it is refused.</summary>
    public static (Reason Reason, Receipt? Receipt) Judge(TrustAnchor anchor, UpdateReceipt given, IEnumerable<ReadOnlyMemory<byte>> answers)
    {
        Reason reason = Receipt(anchor, given, out Receipt? receipt);
        if (receipt is null)
        {
            return (reason, null);
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

    /// <summary>Name of the answer of this number, from 1 on, in a folder of evidence.</summary>
    public static string AnswerName(int number) => string.Create(CultureInfo.InvariantCulture, $"history-{number}.bin");

    /// <summary>Collect gives the files of evidence that was judged to be some.</summary>
    public static Dictionary<string, ReadOnlyMemory<byte>> Collect(TrustAnchor anchor, UpdateReceipt given, Receipt receipt, IReadOnlyList<ReadOnlyMemory<byte>> answers)
    {
        var files = new Dictionary<string, ReadOnlyMemory<byte>>
        {
            ["trust.json"] = anchor.ToJson(),
            ["receipt.txt"] = given.Note,
            ["receipt-keys.txt"] = given.Keys,
            ["key.bin"] = given.Key,
            ["value.bin"] = given.Value,
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
        history-N.bin      answers about the key, each in a tree that the log signed: all versions of these epochs,
                           of which none has the value

        Anyone can check it (docs/spec/receipts.md section 6). No client can make these files about a log that kept its
        promise. Publish them, and ask the operator and the auditors.

        """);
}
