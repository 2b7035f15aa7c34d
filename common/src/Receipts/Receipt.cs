using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Receipts;

/// <summary>Holds the log's promise to publish the items of one request (docs/spec/receipts.md section 3). Immutable.</summary>
/// <param name="RequestId">The request's id.</param>
/// <param name="After">The epoch after which the items will be published.</param>
/// <param name="By">The last epoch in which they may be published.</param>
/// <param name="TimeMs">The time at which the receipt was issued, in Unix milliseconds.</param>
/// <param name="Items">The hash of each item, in the order of the items.</param>
public sealed record Receipt(Guid RequestId, ulong After, ulong By, ulong TimeMs, IReadOnlyList<TreeHash> Items)
{
    private const int LinesBeforeItems = 6;
    private const int RequestIdLength = 16;

    /// <summary>Computes the hash that represents an item of a request.</summary>
    /// <param name="requestId">The request's id.</param>
    /// <param name="item">The number of the item within the request.</param>
    /// <param name="key">The item's key in the structure <c>keys</c>, at most 255 bytes.</param>
    /// <param name="value">The key's new value.</param>
    public static TreeHash ItemHash(Guid requestId, int item, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        byte[] form = new byte[RequestIdLength + 2 + 1 + 1 + key.Length + value.Length];
        _ = requestId.TryWriteBytes(form, bigEndian: true, out _);
        Span<byte> rest = form.AsSpan(RequestIdLength);
        BinaryPrimitives.WriteUInt16BigEndian(rest, checked((ushort)item));
        rest[2] = (byte)StructureId.Keys;
        rest[3] = checked((byte)key.Length);
        key.CopyTo(rest[4..]);
        value.CopyTo(rest[(4 + key.Length)..]);
        return TreeHash.FromBytes(NativeHash.Compute(HashTags.Promise, form));
    }

    /// <summary>Signs the receipt and returns the note that the client receives.</summary>
    public async ValueTask<SignedNote> SignAsync(TrustAnchor anchor, INoteSigner signer, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(anchor);
        return await SignedNote.SignAsync(
            Encoding.UTF8.GetBytes(Text($"{anchor.Configuration.Origin}/receipt", Convert.ToBase64String(anchor.LogId.Span))), signer,
            cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Verifies a receipt's note against receipt keys that the caller has already verified. The parameter
    /// <paramref name="receipt"/> is null unless the note is valid.</summary>
    public static Reason Verify(TrustAnchor anchor, ReceiptKeys keys, ReadOnlySpan<byte> note, out Receipt? receipt)
    {
        ArgumentNullException.ThrowIfNull(anchor);
        ArgumentNullException.ThrowIfNull(keys);
        receipt = null;
        if (!ReceiptText.TryParse(note, out SignedNote? signed, out string[]? lines)
            || !TryParse(signed, lines, out Receipt? found, out string? log))
        {
            return Reason.ReceiptMalformed;
        }
        if (lines[0] != $"{anchor.Configuration.Origin}/receipt" || log != Convert.ToBase64String(anchor.LogId.Span))
        {
            return Reason.ReceiptLog;
        }
        (ReceiptKey Key, NoteSignature Signature)[] signatures =
        [
            .. keys.Keys.Where(key => key.IsValidAt(found!.TimeMs))
                .SelectMany(key => signed.Signatures.Where(signature => signature.IsBy(key.Key)).Select(signature => (key, signature))),
        ];
        if (signatures.Length != 1)
        {
            return Reason.ReceiptKey;
        }
        if (!Ed25519.Verify(signatures[0].Key.Key.PublicKey, signed.Text.Span, signatures[0].Signature.Signature.Span))
        {
            return Reason.ReceiptSignature;
        }
        receipt = found;
        return Reason.Valid;
    }

    /// <summary>Returns the index of the item with this key and value in the receipt, or -1 if the receipt does not promise the
    /// item.</summary>
    public int IndexOf(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        for (int i = 0; i < Items.Count; i++)
        {
            if (ItemHash(RequestId, i, key, value) == Items[i])
            {
                return i;
            }
        }
        return -1;
    }

    private static bool TryParse(SignedNote note, string[] lines, out Receipt? receipt, out string? log)
    {
        receipt = null;
        log = null;
        if (lines.Length is <= LinesBeforeItems or > LinesBeforeItems + ProtocolLimits.MaxItems
            || !lines[0].EndsWith("/receipt", StringComparison.Ordinal)
            || !ReceiptText.TryHash(log = ReceiptText.Field(lines[1], "log"), out _)
            || !UuidText.TryParse(ReceiptText.Field(lines[2], "request"), out Guid id)
            || !ReceiptText.TryNumber(ReceiptText.Field(lines[3], "after"), out ulong after)
            || !ReceiptText.TryNumber(ReceiptText.Field(lines[4], "by"), out ulong by)
            || !ReceiptText.TryNumber(ReceiptText.Field(lines[5], "time"), out ulong time)
            || after >= by || by - after > ProtocolLimits.MaxPromisedEpochs)
        {
            return false;
        }
        var items = new TreeHash[lines.Length - LinesBeforeItems];
        for (int i = 0; i < items.Length; i++)
        {
            if (!ReceiptText.TryHash(ReceiptText.Field(lines[LinesBeforeItems + i], "item"), out items[i]))
            {
                return false;
            }
        }
        var found = new Receipt(id, after, by, time, items);
        // Each receipt has only one valid text, so the note's text must equal the text that this class would write for the parsed receipt.
        if (!note.Text.Span.SequenceEqual(Encoding.UTF8.GetBytes(found.Text(lines[0], log!))))
        {
            return false;
        }
        receipt = found;
        return true;
    }

    private string Text(string first, string log)
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"{first}\nlog {log}\nrequest {RequestId:D}\nafter {After}\nby {By}\ntime {TimeMs}\n");
        foreach (TreeHash item in Items)
        {
            text.Append(CultureInfo.InvariantCulture, $"item {item}\n");
        }
        return text.ToString();
    }
}
