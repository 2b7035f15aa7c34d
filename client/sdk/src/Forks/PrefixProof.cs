using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// Shows which root the first entries of a larger signed tree have. If the log signed another root for that size, the two checkpoints
/// cannot belong to one history.
/// </summary>
/// <param name="Size">Number of first entries: the kept checkpoint's size.</param>
/// <param name="Root">Their root in the larger tree.</param>
/// <param name="Consistency">The RFC 6962 consistency proof from this size and root to the larger tree's.</param>
internal sealed record PrefixProof(ulong Size, TreeHash Root, IReadOnlyList<TreeHash> Consistency)
{
    /// <summary>Parses what <see cref="ToText"/> wrote.</summary>
    public static bool TryParse(ReadOnlySpan<byte> text, [NotNullWhen(true)] out PrefixProof? proof)
    {
        proof = null;
        string[] lines = Encoding.ASCII.GetString(text).Split('\n');
        if (lines.Length < 3 || lines[^1].Length > 0 || !ulong.TryParse(lines[0], NumberStyles.None, CultureInfo.InvariantCulture, out ulong size))
        {
            return false;
        }
        var hashes = new TreeHash[lines.Length - 2];
        for (int i = 0; i < hashes.Length; i++)
        {
            if (!TreeHash.TryParseBase64(Encoding.ASCII.GetBytes(lines[i + 1]), out hashes[i]))
            {
                return false;
            }
        }
        proof = new PrefixProof(size, hashes[0], hashes[1..]);
        return true;
    }

    /// <summary>Returns lines of text: the size, the root, then the proof's hashes, in base64 as in checkpoints.</summary>
    public byte[] ToText()
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"{Size}\n{Root}\n");
        foreach (TreeHash hash in Consistency)
        {
            text.Append(CultureInfo.InvariantCulture, $"{hash}\n");
        }
        return Encoding.ASCII.GetBytes(text.ToString());
    }
}
