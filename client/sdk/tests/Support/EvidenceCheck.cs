using System.Globalization;
using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client.Tests;

/// <summary>
/// Judges a folder of evidence with only the log's key and the files, as a person would who does not have the client's code.
/// </summary>
internal static class EvidenceCheck
{
    public static void Proves(string folder)
    {
        var anchor = TrustAnchor.Load(Path.Combine(folder, "trust.json"));
        Assert.Equal(Reason.Valid,
            LogVerifier.Checkpoint(anchor, File.ReadAllBytes(Path.Combine(folder, "kept-checkpoint.txt")), out ulong keptSize,
                out byte[] keptRoot));
        Assert.Equal(Reason.Valid,
            LogVerifier.Checkpoint(anchor, File.ReadAllBytes(Path.Combine(folder, "received-checkpoint.txt")), out ulong size,
                out byte[] root));
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

    /// <summary>
    /// Judges a folder of evidence about a record that breaks a rule. It checks that all entries of the folder are in one tree that the log
    /// signed. It then checks the last entry against the entries before it, and returns the reason of the rule that the last entry breaks.
    /// </summary>
    public static Reason ProvesBreach(string folder)
    {
        var anchor = TrustAnchor.Load(Path.Combine(folder, "trust.json"));
        var verifier = new CheckpointVerifier(anchor.LogKey, [], Ed25519.Verifier);
        var entries = new SortedDictionary<ulong, byte[]>();
        var roots = new HashSet<string>();
        foreach (string file in Directory.GetFiles(folder, "*.tlog-proof"))
        {
            Assert.True(TlogProof.TryParse(File.ReadAllBytes(file), out TlogProof? proof, out _));
            byte[] entry = File.ReadAllBytes(Path.ChangeExtension(file, ".bin"));
            Assert.Equal(TlogError.None, proof.Verify(verifier, entry, out SignedCheckpoint? opened));
            roots.Add($"{opened!.Checkpoint.Size} {opened.Checkpoint.Root}");
            entries.Add(proof.Index, entry);
        }
        Assert.Single(roots);
        ulong at = entries.Keys.Max();
        byte[] before = entries[at - 1];
        byte[] period = entries[EpochRecord.Decode(before).PeriodFirstEpoch];
        Reason reason = LogVerifier.VerifyRecord(anchor, entries[at], []);
        return reason != Reason.Valid ? reason
            : EpochRecord.ReadEpoch(entries[at]) != at ? Reason.RecordEpoch
            : LogVerifier.VerifyRecord(anchor, entries[at], before, period);
    }

    private static TreeHash Hash(string line)
    {
        Assert.True(TreeHash.TryParseBase64(Encoding.ASCII.GetBytes(line), out TreeHash hash));
        return hash;
    }
}
