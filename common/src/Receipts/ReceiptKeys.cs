using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Receipts;

/// <summary>
/// Holds the note in which a log's key authorizes the keys that sign receipts (docs/spec/receipts.md section 2). Immutable.
/// </summary>
public sealed class ReceiptKeys
{
    private const int LinesBeforeKeys = 2;

    private ReceiptKeys(IReadOnlyList<ReceiptKey> keys, byte[] note)
    {
        Keys = keys;
        Note = note;
    }

    /// <summary>The keys that the note authorizes.</summary>
    public IReadOnlyList<ReceiptKey> Keys { get; }

    /// <summary>The signed note's bytes.</summary>
    public ReadOnlyMemory<byte> Note { get; }

    /// <summary>Signs a note that authorizes these keys. Throws <see cref="ArgumentException"/> if no verifier would accept the
    /// keys.</summary>
    public static async ValueTask<ReceiptKeys> SignAsync(
        TrustAnchor anchor, IReadOnlyList<ReceiptKey> keys, INoteSigner logSigner, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(anchor);
        ArgumentNullException.ThrowIfNull(keys);
        SignedNote note =
            await SignedNote.SignAsync(Encoding.UTF8.GetBytes(Text(anchor, keys)), logSigner, cancellationToken).ConfigureAwait(false);
        return Verify(anchor, note.Encode(), out ReceiptKeys? verified) == Reason.Valid
            ? verified!
            : throw new ArgumentException(
                $"There must be 1 to {ProtocolLimits.MaxReceiptKeys} different receipt keys, each with a time that ends after it begins. The log's key signs for them and cannot be one of them.", nameof(keys));
    }

    /// <summary>Verifies a note with receipt keys. The parameter <paramref name="keys"/> is null unless the note is valid.</summary>
    public static Reason Verify(TrustAnchor anchor, ReadOnlySpan<byte> note, out ReceiptKeys? keys)
    {
        ArgumentNullException.ThrowIfNull(anchor);
        keys = null;
        if (!ReceiptText.TryParse(note, out SignedNote? signed, out string[]? lines)
            || lines.Length is <= LinesBeforeKeys or > LinesBeforeKeys + ProtocolLimits.MaxReceiptKeys
            || !TryKeys(anchor, lines.AsSpan(LinesBeforeKeys), out List<ReceiptKey>? found)
            || !signed.Text.Span.SequenceEqual(Encoding.UTF8.GetBytes(Text(anchor, found)))
            || ReceiptText.SignatureBy(signed, anchor.LogKey) is not { } signature
            || !Ed25519.Verify(anchor.LogKey.PublicKey, signed.Text.Span, signature.Signature.Span))
        {
            return Reason.ReceiptVoucher;
        }
        keys = new ReceiptKeys(found, note.ToArray());
        return Reason.Valid;
    }

    private static bool TryKeys(TrustAnchor anchor, ReadOnlySpan<string> lines, [NotNullWhen(true)] out List<ReceiptKey>? keys)
    {
        keys = null;
        var found = new List<ReceiptKey>(lines.Length);
        foreach (string line in lines)
        {
            string[] fields = ReceiptText.Field(line, "key")?.Split(' ') ?? [];
            if (fields.Length != 3 || !VerifierKey.TryParse(fields[0], out VerifierKey? key, out _) || key.Type != SignatureType.Ed25519
                || !ReceiptText.TryNumber(fields[1], out ulong from) || !ReceiptText.TryNumber(fields[2], out ulong until) || from >= until
                || found.Select(other => other.Key).Append(anchor.LogKey).Any(other => other.PublicKey.SequenceEqual(key.PublicKey)))
            {
                return false;
            }
            found.Add(new ReceiptKey(key, from, until));
        }
        keys = found;
        return true;
    }

    private static string Text(TrustAnchor anchor, IEnumerable<ReceiptKey> keys)
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture,
            $"{anchor.Configuration.Origin}/receipts\nlog {Convert.ToBase64String(anchor.LogId.Span)}\n");
        foreach (ReceiptKey key in keys)
        {
            text.Append(CultureInfo.InvariantCulture, $"key {key.Key} {key.FromMs} {key.UntilMs}\n");
        }
        return text.ToString();
    }
}
