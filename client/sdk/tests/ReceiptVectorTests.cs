using System.Text;
using System.Text.Json;
using Optiks.Protocol;
using Optiks.Receipts;

namespace Optiks.Client.Tests;

/// <summary>Judges receipts, and evidence of broken promises, and expects the Python reference's verdict (docs/spec/receipts.md).</summary>
public sealed class ReceiptVectorTests
{
    [Fact]
    public void Receipts_get_the_verdict_of_the_reference() => Run("receipts/receipts.json", (anchor, vector) =>
    {
        Reason reason = ReceiptKeys.Verify(anchor, Vectors.Hex(vector, "receipt_keys"), out ReceiptKeys? keys);
        Receipt? receipt = null;
        reason = reason == Reason.Valid ? Receipt.Verify(anchor, keys!, Vectors.Hex(vector, "receipt"), out receipt) : reason;
        if (receipt is null)
        {
            return reason;
        }
        Guid id = vector.GetProperty("request_id").GetGuid();
        JsonElement[] items = [.. vector.GetProperty("items").EnumerateArray()];
        bool isOf = receipt.RequestId == id
            && receipt.Items.SequenceEqual(items.Select((item, i) => Receipt.ItemHash(id, i, Octets(item[0]), Octets(item[1]))));
        if (items.Length == 1)
        {
            // Also judge the receipt with the method that clients use.
            var given = new UpdateReceipt(
                id, Octets(items[0][0]), Octets(items[0][1]), Vectors.Hex(vector, "receipt"), Vectors.Hex(vector, "receipt_keys"));
            Assert.Equal(isOf ? Reason.Valid : Reason.ReceiptRequest, given.Verify(anchor, out _));
        }
        return isOf ? Reason.Valid : Reason.ReceiptRequest;
    });

    [Fact]
    public void Evidence_of_promises_gets_the_verdict_of_the_reference() => Run("receipts/promises.json", (anchor, vector) =>
    {
        var given = new UpdateReceipt(default, Vectors.Hex(vector, "key"), Vectors.Hex(vector, "value"), Vectors.Hex(vector, "receipt"),
            Vectors.Hex(vector, "receipt_keys"));
        return PromiseJudge.Judge(anchor, given, Vectors.Hex(vector, "after"),
            vector.GetProperty("answers").EnumerateArray().Select(answer => new ReadOnlyMemory<byte>(Octets(answer)))).Reason;
    });

    private static void Run(string file, Func<TrustAnchor, JsonElement, Reason> judge)
    {
        using JsonDocument document = Vectors.Read(file);
        var anchor = TrustAnchor.Parse(Encoding.UTF8.GetBytes(document.RootElement.GetProperty("trust_anchor").GetString()!));
        var wrong = new List<string>();
        foreach (JsonElement vector in document.RootElement.GetProperty("vectors").EnumerateArray())
        {
            string found = judge(anchor, vector).Name();
            if (found != vector.GetProperty("reason").GetString())
            {
                wrong.Add($"{vector.GetProperty("kind").GetString()}: {found} instead of {vector.GetProperty("reason").GetString()}");
            }
        }
        Assert.Empty(wrong);
    }

    private static byte[] Octets(JsonElement text) => Convert.FromHexString(text.GetString()!);
}
