using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Optiks.Receipts;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Client.Tests;

/// <summary>Creates receipts of the fixture's log, and makes the fixture's server return them.</summary>
internal static class Promises
{
    private const ulong UntilMs = 1UL << 50;
    private static readonly byte[] s_seed = [.. Enumerable.Repeat((byte)0x5A, 32)];

    /// <summary>
    /// Makes the server answer each update with a receipt. The parameters <paramref name="after"/> and <paramref name="by"/> are its
    /// bounds: the receipt promises to publish the update in an epoch after the first bound and by the second bound. Its time is the log's
    /// time unless the caller gives another time.
    /// </summary>
    public static void Give(FixtureServer server, ulong after, ulong by, Func<UpdateReceipt, UpdateReceipt>? change = null,
        ulong? timeMs = null) => server.Mutate = (path, answer) =>
    {
        if (path != "/v1/updates")
        {
            return answer;
        }
        JsonObject json = JsonNode.Parse(answer)!.AsObject();
        UpdateReceipt receipt = Of(json["request_id"]!.GetValue<Guid>(), server.LastUpdate.Key, server.LastUpdate.Value, after, by,
            timeMs ?? (ulong)server.Log.Now.ToUnixTimeMilliseconds());
        receipt = change?.Invoke(receipt) ?? receipt;
        json["receipt"] = Encoding.UTF8.GetString(receipt.Note.Span);
        json["receipt_keys"] = Encoding.UTF8.GetString(receipt.Keys.Span);
        return JsonSerializer.SerializeToUtf8Bytes(json);
    };

    /// <summary>
    /// Creates a receipt that promises to publish a value of a key. The parameters <paramref name="after"/> and <paramref name="by"/> are
    /// its bounds: the promised epoch is after the first bound, and not after the second bound.
    /// </summary>
    public static UpdateReceipt Of(
        Guid id, byte[] key, byte[] value, ulong after, ulong by, ulong timeMs = FixtureLog.StartMs, ulong untilMs = UntilMs)
    {
        using NoteSigner log = FixtureLog.Signer();
        using var signer = new NoteSigner("test.example/log/receipts", SignatureType.Ed25519, s_seed);
        ReceiptKeys keys = ReceiptKeys.SignAsync(FixtureLog.Anchor, [new ReceiptKey(signer.Key, 0, untilMs)], log, CancellationToken.None)
            .AsTask().GetAwaiter().GetResult();
        SignedNote note =
            new Receipt(id, after, by, timeMs, [Receipt.ItemHash(id, 0, key, value)]).SignAsync(
                FixtureLog.Anchor, signer, CancellationToken.None).AsTask().GetAwaiter().GetResult();
        return new UpdateReceipt(id, key, value, note.Encode(), keys.Note);
    }
}
