using System.Globalization;
using System.Text;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Collects two contradicting signed views of a log as files that anyone with the log's key can check.</summary>
internal static class ForkEvidence
{
    private const string Own = "this client had verified";

    /// <summary>Returns the files of a fork between the kept head and a server's answer.</summary>
    public static Dictionary<string, ReadOnlyMemory<byte>> Collect(
        TrustAnchor anchor, HeadState kept, Contradiction received, string source) => received.IsSmaller
        ? Collect(anchor, received.Note, default, new Contradiction(kept.Checkpoint, received.Prefix, kept.Record, default),
            $"{source} gave", Own)
        : Collect(anchor, kept.Checkpoint, kept.Record, received, Own, $"{source} gave");

    /// <summary>
    /// Returns the files of a fork between the kept head and a cosigned checkpoint, if the larger one of the two checkpoints does not
    /// extend the smaller one.
    /// </summary>
    public static Dictionary<string, ReadOnlyMemory<byte>> CollectCosigned(
        TrustAnchor anchor, HeadState kept, VerifiedNote smaller, VerifiedNote larger, PrefixProof? prefix, bool isCosignedLarger,
        string source) =>
        isCosignedLarger
            ? Collect(anchor, smaller.Octets, kept.Record, new Contradiction(larger.Octets, prefix, default, default), Own, source)
            : Collect(anchor, smaller.Octets, default, new Contradiction(larger.Octets, prefix, kept.Record, default), source, Own);

    /// <summary>Returns the files of a fork between two checkpoints of one size that cosigners signed.</summary>
    public static Dictionary<string, ReadOnlyMemory<byte>> CollectPair(
        TrustAnchor anchor, VerifiedNote one, string source, VerifiedNote other, string otherSource) =>
        Collect(anchor, one.Octets, default, new Contradiction(other.Octets, null, default, default), source, otherSource);

    private static Dictionary<string, ReadOnlyMemory<byte>> Collect(
        TrustAnchor anchor, ReadOnlyMemory<byte> checkpoint, ReadOnlyMemory<byte> record, Contradiction received, string keptBy,
        string receivedBy)
    {
        var files = new Dictionary<string, ReadOnlyMemory<byte>>
        {
            ["trust.json"] = anchor.ToJson(),
            ["kept-checkpoint.txt"] = checkpoint,
            ["README.txt"] = Encoding.UTF8.GetBytes(Explain(anchor, keptBy, receivedBy)),
        };
        Add(files, "kept-record.bin", record);
        Add(files, "received-checkpoint.txt", received.Note);
        Add(files, "received-prefix.txt", received.Prefix?.ToText() ?? default(ReadOnlyMemory<byte>));
        Add(files, "received-record.bin", received.Record);
        Add(files, "answer.bin", received.Answer);
        return files;
    }

    /// <summary>Returns the name of a new evidence folder.</summary>
    public static string Name(TimeProvider time) => time.GetUtcNow().ToString("yyyyMMdd'T'HHmmss'Z'", CultureInfo.InvariantCulture);

    private static void Add(Dictionary<string, ReadOnlyMemory<byte>> files, string name, ReadOnlyMemory<byte> contents)
    {
        if (!contents.IsEmpty)
        {
            files[name] = contents;
        }
    }

    private static string Explain(TrustAnchor anchor, string keptBy, string receivedBy) =>
        $"""
        The log {anchor.Configuration.Origin} showed two views that cannot both be its only history.

        trust.json               the log's key, with which both checkpoints verify
        kept-checkpoint.txt      the signed checkpoint that {keptBy}
        kept-record.bin          the latest epoch record that this client had verified
        received-checkpoint.txt  the signed checkpoint that {receivedBy}
        received-prefix.txt      for a larger checkpoint: line 1, the kept checkpoint's size; line 2, the root that the
                                 first entries of the received tree have at that size; then the RFC 6962 consistency
                                 proof from that size and root to the received checkpoint's
        received-record.bin, answer.bin   the record and the whole answer that gave rise to the comparison

        Two checkpoints of one size with different roots are proof. So are a checkpoint and a larger one whose first
        entries have another root than the smaller one: the proof in received-prefix.txt verifies, and its line 2 is not
        the kept checkpoint's root. So are two records of one epoch that differ, each in the tree of a checkpoint.
        Not every file is there each time. Publish them, and ask the operator and the auditors.

        """;
}
