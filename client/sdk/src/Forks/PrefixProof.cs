using System.Globalization;
using System.Text;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>PrefixProof shows which root the first entries of a larger signed tree have. When the log signed another root for that size, both checkpoints cannot be of one history.</summary>
/// <param name="Size">Number of first entries: the kept checkpoint's size.</param>
/// <param name="Root">Their root in the larger tree.</param>
/// <param name="Consistency">The RFC 6962 consistency proof from this size and root to the larger tree's.</param>
internal sealed record PrefixProof(ulong Size, TreeHash Root, IReadOnlyList<TreeHash> Consistency)
{
    /// <summary>Lines of text: the size, the root, then the proof's hashes, in base64 as checkpoints have them.</summary>
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
