using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Optiks.Tlog;

/// <summary>Holds a text with signature lines (C2SP signed-note), parsed but not verified. Immutable.</summary>
public sealed class SignedNote
{
    /// <summary>The greatest length of a note that this class accepts, in bytes.</summary>
    public const int MaxBytes = 64 * 1024;

    /// <summary>The highest number of signature lines that this class accepts (docs/spec/board.md section 2).</summary>
    public const int MaxSignatures = 64;

    private SignedNote(ReadOnlyMemory<byte> text, IReadOnlyList<NoteSignature> signatures)
    {
        Text = text;
        Signatures = signatures;
    }

    /// <summary>The signed text, which is UTF-8 and ends with a newline.</summary>
    public ReadOnlyMemory<byte> Text { get; }

    /// <summary>The signatures in the order of the lines; at least one.</summary>
    public IReadOnlyList<NoteSignature> Signatures { get; }

    /// <summary>Makes a note of a text and signatures. Throws <see cref="ArgumentException"/> if they do not form a valid note.</summary>
    public static SignedNote Create(ReadOnlySpan<byte> text, IReadOnlyList<NoteSignature> signatures)
    {
        ArgumentNullException.ThrowIfNull(signatures);
        if (text.IsEmpty || text[^1] != StrictText.Newline || StrictText.CheckCharacters(text) != TlogError.None)
        {
            throw new ArgumentException(
                "A note's text must be UTF-8, end in a newline and contain no other control character.", nameof(text));
        }
        if (signatures.Count is 0 or > MaxSignatures)
        {
            throw new ArgumentException($"A note must have 1 to {MaxSignatures} signatures.", nameof(signatures));
        }
        var note = new SignedNote(text.ToArray(), [.. signatures]);
        if (note.Encode().Length > MaxBytes)
        {
            throw new ArgumentException($"A note may have at most {MaxBytes} bytes.", nameof(text));
        }
        return note;
    }

    /// <summary>Makes a note of a text with one signature of type 0x01.</summary>
    public static async ValueTask<SignedNote> SignAsync(ReadOnlyMemory<byte> text, INoteSigner signer, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(signer);
        if (signer.Key.Type != SignatureType.Ed25519)
        {
            throw new ArgumentException("A cosigner's key cannot sign plain notes.", nameof(signer));
        }
        byte[] signature = await signer.SignAsync(text, cancellationToken).ConfigureAwait(false);
        return Create(text.Span, [new NoteSignature(signer.Key.Name, signer.Key.KeyId, signature)]);
    }

    /// <summary>Parses bytes that are one note, and copies them.</summary>
    public static bool TryParse(ReadOnlySpan<byte> bytes, [NotNullWhen(true)] out SignedNote? note, out TlogError error)
    {
        note = null;
        error = CheckFrame(bytes, out int textLength);
        if (error != TlogError.None)
        {
            return false;
        }
        ReadOnlySpan<byte> lines = bytes[(textLength + 1)..];
        var signatures = new List<NoteSignature>();
        while (StrictText.TryTakeLine(ref lines, out ReadOnlySpan<byte> line))
        {
            if (signatures.Count == MaxSignatures)
            {
                error = TlogError.TooManySignatures;
                return false;
            }
            if (!NoteSignature.TryParseLine(line, out NoteSignature? signature, out error))
            {
                return false;
            }
            signatures.Add(signature);
        }
        if (signatures.Count == 0)
        {
            error = TlogError.NoSignatures;
            return false;
        }
        note = new SignedNote(bytes[..textLength].ToArray(), signatures);
        return true;
    }

    /// <summary>Returns the note's bytes. For a parsed note, the result equals the parsed bytes.</summary>
    public byte[] Encode()
    {
        var lines = new StringBuilder("\n");
        foreach (NoteSignature signature in Signatures)
        {
            lines.Append(signature.ToLine()).Append('\n');
        }
        return [.. Text.Span, .. Encoding.UTF8.GetBytes(lines.ToString())];
    }

    /// <summary>Returns a note with the same text and signatures, to which more signature lines are added at the end.</summary>
    public SignedNote WithSignatures(IEnumerable<NoteSignature> signatures) => Create(Text.Span, [.. Signatures, .. signatures]);

    private static TlogError CheckFrame(ReadOnlySpan<byte> bytes, out int textLength)
    {
        textLength = 0;
        if (bytes.Length > MaxBytes)
        {
            return TlogError.TooLarge;
        }
        TlogError error = StrictText.CheckCharacters(bytes);
        if (error != TlogError.None)
        {
            return error;
        }
        if (bytes.IsEmpty || bytes[^1] != StrictText.Newline)
        {
            return TlogError.MissingFinalNewline;
        }

        // The text ends at the last empty line, because the text itself may contain empty lines and the signatures contain none.
        int blank = bytes.LastIndexOf("\n\n"u8);
        if (blank < 0)
        {
            return TlogError.MissingBlankLine;
        }
        textLength = blank + 1;
        return TlogError.None;
    }
}
