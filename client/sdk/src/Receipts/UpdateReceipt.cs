using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Json;
using Optiks.Protocol;
using Optiks.Receipts;

namespace Optiks.Client;

/// <summary>
/// The log's signed promise to publish an update, together with the update. It has everything that is needed to check the promise later, or
/// to prove that the log broke it (docs/spec/receipts.md). The caller stores the receipt (<see cref="ToJson"/>), which contains the value.
/// Immutable.
/// </summary>
/// <param name="RequestId">Id of the request.</param>
/// <param name="Key">Key that the update changes.</param>
/// <param name="Value">Value that the update sets.</param>
/// <param name="Note">The receipt, a signed note.</param>
/// <param name="Keys">The note in which the log key authorises the key that signed the receipt.</param>
public sealed record UpdateReceipt(
    Guid RequestId, ReadOnlyMemory<byte> Key, ReadOnlyMemory<byte> Value, ReadOnlyMemory<byte> Note, ReadOnlyMemory<byte> Keys)
{
    private static readonly JsonDocumentOptions s_strict = new() { AllowDuplicateProperties = false, MaxDepth = 2 };

    /// <summary>
    /// Tells whether the log made this promise. If it did, the out parameter <paramref name="receipt"/> has the epochs of the promise;
    /// otherwise it is null.
    /// </summary>
    public Reason Verify(TrustAnchor anchor, out Receipt? receipt)
    {
        Reason reason = PromiseJudge.Receipt(anchor, this, out receipt);
        if (reason == Reason.Valid && (receipt!.RequestId != RequestId || receipt.Items.Count != 1))
        {
            reason = Reason.ReceiptRequest;
            receipt = null;
        }
        return reason;
    }

    /// <summary>Returns the contents of a file in which to store the receipt.</summary>
    public byte[] ToJson()
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer, new JsonWriterOptions { Indented = true, Encoder = AnswerJson.Encoder }))
        {
            writer.WriteStartObject();
            writer.WriteString("request_id"u8, RequestId);
            writer.WriteString("key_b64"u8, Base64UrlText.Encode(Key.Span));
            writer.WriteString("value_b64"u8, Base64UrlText.Encode(Value.Span));
            writer.WriteString("receipt"u8, Note.Span);
            writer.WriteString("receipt_keys"u8, Keys.Span);
            writer.WriteEndObject();
        }
        return [.. buffer.WrittenSpan, (byte)'\n'];
    }

    /// <summary>Parses strictly the text that <see cref="ToJson"/> returned. It does not verify the receipt.</summary>
    public static bool TryParse(ReadOnlyMemory<byte> json, [NotNullWhen(true)] out UpdateReceipt? receipt)
    {
        receipt = null;
        try
        {
            using var document = JsonDocument.Parse(json, s_strict);
            JsonElement root = document.RootElement;
            if (root.ValueKind == JsonValueKind.Object && root.GetPropertyCount() == 5
                && root.TryGetProperty("request_id", out JsonElement id) && id.TryGetGuid(out Guid requestId)
                && Octets(root, "key_b64") is { Length: > 0 and <= ProtocolLimits.MaxKeyLength } key
                && Octets(root, "value_b64") is { } value
                && NotesOf(root) is { } notes)
            {
                receipt = new UpdateReceipt(requestId, key, value, notes.Receipt, notes.Keys);
            }
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            // The text is not JSON, or its members are not text, so there is no receipt.
        }
        return receipt is not null;
    }

    /// <summary>Returns the two notes from the server's answer to an update, or from a stored file; null unless both notes exist.</summary>
    internal static (byte[] Receipt, byte[] Keys)? NotesOf(JsonElement json) =>
        Text(json, "receipt") is { } receipt && Text(json, "receipt_keys") is { } keys ? (receipt, keys) : null;

    private static byte[]? Octets(JsonElement json, string name) =>
        json.TryGetProperty(name, out JsonElement text) && text.ValueKind == JsonValueKind.String
            && Base64UrlText.TryDecode(text.GetString()!, out byte[]? octets) ? octets : null;

    private static byte[]? Text(JsonElement json, string name) =>
        json.TryGetProperty(name, out JsonElement text) && text.ValueKind == JsonValueKind.String
            ? Encoding.UTF8.GetBytes(text.GetString()!)
            : null;
}
