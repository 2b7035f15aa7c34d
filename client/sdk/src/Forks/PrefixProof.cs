using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// Proves which root the first entries of a larger signed tree have. If the log signed another root for that number of entries, the two
/// checkpoints cannot belong to one history.
/// </summary>
/// <param name="Size">Number of these first entries, which is the size of the smaller checkpoint.</param>
/// <param name="Root">Root of these first entries in the larger tree.</param>
/// <param name="Consistency">The RFC 6962 consistency proof from this size and root to the size and root of the larger tree.</param>
internal sealed record PrefixProof(ulong Size, TreeHash Root, IReadOnlyList<TreeHash> Consistency)
{
    /// <summary>Parses the text that <see cref="ToText"/> returns.</summary>
    public static bool TryParse(ReadOnlySpan<byte> text, [NotNullWhen(true)] out PrefixProof? proof)
    {
        proof = null;
        string[] lines = Encoding.ASCII.GetString(text).Split('\n');
        if (lines.Length < 3 || lines[^1].Length > 0
            || !ulong.TryParse(lines[0], NumberStyles.None, CultureInfo.InvariantCulture, out ulong size))
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

    /// <summary>
    /// Returns the proof as lines of text: the size, the root, then the proof's hashes. The root and hashes are in base64, as in
    /// checkpoints.
    /// </summary>
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
