using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;

namespace Optiks.Tlog;

/// <summary>
/// Holds the text of a checkpoint (C2SP tlog-checkpoint): origin, size and root of a log. Immutable. A parsed checkpoint may have extension
/// lines. The public constructor makes none, because witnesses disagree on whether a cosignature covers them.
/// </summary>
public sealed class Checkpoint
{
    /// <summary>
    /// Makes the checkpoint of a tree. Throws <see cref="ArgumentException"/> if the origin is not a valid key name, or if the size is 0
    /// and the root is not the root of the empty tree.
    /// </summary>
    public Checkpoint(string origin, ulong size, TreeHash root)
        : this(origin, size, root, [])
    {
        // An origin is the name of its log's key, so the rules for key names apply.
        if (!StrictText.IsKeyName(origin))
        {
            throw new ArgumentException("An origin must not be empty or contain a space or '+'.", nameof(origin));
        }
        if (size == 0 && root != Rfc6962.EmptyRoot)
        {
            throw new ArgumentException("The root of an empty tree is SHA-256(\"\").", nameof(root));
        }
    }

    private Checkpoint(string origin, ulong size, TreeHash root, IReadOnlyList<string> extensionLines)
    {
        Origin = origin;
        Size = size;
        Root = root;
        ExtensionLines = extensionLines;
    }

    /// <summary>The name of the log.</summary>
    public string Origin { get; }

    /// <summary>The number of entries in the log.</summary>
    public ulong Size { get; }

    /// <summary>The RFC 6962 root hash of the tree of these entries.</summary>
    public TreeHash Root { get; }

    /// <summary>
    /// The extension lines after the root, without their newlines. None of the lines is empty. Most checkpoints have no extension lines.
    /// </summary>
    public IReadOnlyList<string> ExtensionLines { get; }

    /// <summary>Parses the text of a checkpoint note.</summary>
    public static bool TryParse(ReadOnlySpan<byte> text, [NotNullWhen(true)] out Checkpoint? checkpoint, out TlogError error)
    {
        checkpoint = null;
        if (text.Length > SignedNote.MaxBytes)
        {
            error = TlogError.TooLarge;
            return false;
        }
        error = StrictText.CheckCharacters(text);
        if (error != TlogError.None)
        {
            return false;
        }
        if (text.IsEmpty || text[^1] != StrictText.Newline)
        {
            error = TlogError.MissingFinalNewline;
            return false;
        }
        if (!StrictText.TryTakeLine(ref text, out ReadOnlySpan<byte> origin)
            || !StrictText.TryTakeLine(ref text, out ReadOnlySpan<byte> sizeText)
            || !StrictText.TryTakeLine(ref text, out ReadOnlySpan<byte> rootText))
        {
            error = TlogError.TooFewLines;
            return false;
        }
        error = ParseTree(origin, sizeText, rootText, out ulong size, out TreeHash root);
        if (error != TlogError.None)
        {
            return false;
        }
        var extensionLines = new List<string>();
        while (StrictText.TryTakeLine(ref text, out ReadOnlySpan<byte> line))
        {
            if (line.IsEmpty)
            {
                error = TlogError.EmptyExtensionLine;
                return false;
            }
            extensionLines.Add(Encoding.UTF8.GetString(line));
        }
        checkpoint = new Checkpoint(Encoding.UTF8.GetString(origin), size, root, extensionLines);
        return true;
    }

    /// <summary>Returns the checkpoint's text. For a parsed checkpoint, the result equals the parsed bytes.</summary>
    public byte[] Encode()
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"{Origin}\n{Size}\n{Root}\n");
        foreach (string line in ExtensionLines)
        {
            text.Append(line).Append('\n');
        }
        return Encoding.UTF8.GetBytes(text.ToString());
    }

    private static TlogError ParseTree(
        ReadOnlySpan<byte> origin, ReadOnlySpan<byte> sizeText, ReadOnlySpan<byte> rootText, out ulong size, out TreeHash root)
    {
        root = default;
        size = 0;
        if (origin.IsEmpty)
        {
            return TlogError.EmptyOrigin;
        }
        if (!StrictText.TryParseDecimal(sizeText, out size))
        {
            return TlogError.BadSize;
        }
        if (!TreeHash.TryParseBase64(rootText, out root))
        {
            return TlogError.BadRoot;
        }
        return size == 0 && root != Rfc6962.EmptyRoot ? TlogError.BadEmptyRoot : TlogError.None;
    }
}
