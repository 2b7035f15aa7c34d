using System.Globalization;
using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client.Tests;

/// <summary>EvidenceCheck judges a folder of evidence as a stranger does: by the log's key and the files alone, and not with the client's code.</summary>
internal static class EvidenceCheck
{
    public static void Proves(string folder)
    {
        var anchor = TrustAnchor.Load(Path.Combine(folder, "trust.json"));
        Assert.Equal(Reason.Valid, Verifier.Checkpoint(anchor, File.ReadAllBytes(Path.Combine(folder, "kept-checkpoint.txt")), out ulong keptSize, out byte[] keptRoot));
        Assert.Equal(Reason.Valid, Verifier.Checkpoint(anchor, File.ReadAllBytes(Path.Combine(folder, "received-checkpoint.txt")), out ulong size, out byte[] root));
        if (size == keptSize)
        {
            Assert.NotEqual(keptRoot, root);
            return;
        }
        string[] lines = File.ReadAllText(Path.Combine(folder, "received-prefix.txt")).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(keptSize.ToString(CultureInfo.InvariantCulture), lines[0]);
        TreeHash[] hashes = [.. lines.Skip(1).Select(Hash)];
        Assert.Equal(TlogError.None, ConsistencyProof.Verify(keptSize, hashes[0], size, TreeHash.FromBytes(root), hashes[1..]));
        Assert.NotEqual(TreeHash.FromBytes(keptRoot), hashes[0]);
    }

    private static TreeHash Hash(string line)
    {
        Assert.True(TreeHash.TryParseBase64(Encoding.ASCII.GetBytes(line), out TreeHash hash));
        return hash;
    }
}
